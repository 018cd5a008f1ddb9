import type { Directory, RefusalReason, RequestedScope } from "./directory";
import type { TokenRegister } from "./token-register";
import type { Lockout } from "./user-record";

/** A request, apart from the socket that it came by. */
export interface IdentityRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The body as a JSON object; undefined without a body. Whatever else a body is, it is refused
   * before a handler is asked.
   */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** The origin that the client used, from its Host header: Keystone builds links from it. */
  readonly origin: string;
}

/** What the journal keeps of a request, beside what every request has. */
export interface Noted {
  readonly user?: string;
  readonly account?: string;
  readonly scope?: RequestedScope;
  readonly fingerprint?: string;
  readonly reason?: RefusalReason;
}

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
  readonly lockout: Lockout | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
