import type { ServiceSettings } from "../config/settings";
import type { Directory } from "./directory";
import type { Noted } from "./journal";
import type { TokenRegister } from "./token-register";

/** A request as it came, by a socket or without one. */
export interface RawRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined: larger than Keystone takes. */
  readonly body: Buffer | undefined;
  /** The origin that the client used, from its Host header: Keystone builds links from it. */
  readonly origin: string;
}

/**
 * A request as a handler gets it: the body as a JSON object, undefined without a body. Whatever
 * else a body is, it is refused before.
 */
export type IdentityRequest = Omit<RawRequest, "body"> & {
  readonly json: Readonly<Record<string, unknown>> | undefined;
};

/** An answer, apart from the socket that it goes to. */
export interface IdentityAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly noted: Noted;
  /** What is answered around Keystone, and not by it, has none. */
  readonly hasRequestId: boolean;
}

/** What the handlers work on. */
export interface IdentityState {
  readonly directory: Directory;
  readonly tokens: TokenRegister;
  readonly lockout: ServiceSettings["lockout"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
