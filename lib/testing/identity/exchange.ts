import type { Directory, RefusalReason, RequestedScope } from "./directory";
import type { TokenRegister } from "./token-register";

/** A request, apart from the socket that it came by. */
export interface IdentityRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
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
}

/** What the handlers work on. */
export interface IdentityState {
  readonly directory: Directory;
  readonly tokens: TokenRegister;
}
