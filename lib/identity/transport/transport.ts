import type { Secret } from "../../tokens";
import type { TlsMaterial } from "../credential";

/** A request as it is sent. The body and some headers are secrets: never print it. */
export interface WireRequest {
  readonly method: "POST" | "DELETE" | "GET" | "HEAD";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The secret in it: an answer may repeat it, and no message does. */
  readonly secret?: Secret;
  /** The statuses of answers whose body is read; of others, it does not arrive. Default: none. */
  readonly bodyOf?: readonly number[];
  /** A further status that may pass: of most, a 4xx is final. */
  readonly passing?: number;
}

/**
 * How the body of an answer ended. `unread`: it was not wanted. Only with `complete` do the bytes
 * have a meaning.
 */
export type BodyEnd = "complete" | "cut off" | "too long" | "too slow" | "unread";

/**
 * The service's answer as plain data: tests can interpret a recorded one without a network.
 */
export interface Answer {
  readonly kind: "answer";
  readonly fault?: undefined;
  readonly status: number;
  /** As received, including repeated ones; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly end: BodyEnd;
  /** When the head arrived, in milliseconds of this machine's clock. */
  readonly receivedAt: number;
}

/** Why there is no answer. */
export type FaultKind =
  /** No connection in time. */
  | "connect_timeout"
  /** Connected, but no head of an answer in time. */
  | "no_answer"
  /** Refused, unknown host, reset, closed. */
  | "connection"
  /** The certificate of the other side was not accepted. */
  | "certificate"
  /** No TLS with the other side, or it has refused ours. */
  | "tls"
  /** The proxy answered CONNECT with `status`. */
  | "proxy_status"
  /** The answer is not usable HTTP. */
  | "malformed"
  /** The signal was aborted. */
  | "cancelled";

/** An exchange without an answer. Contains nothing of the request. */
export interface Fault {
  readonly kind: "fault";
  readonly fault: FaultKind;
  /** A code such as ECONNREFUSED; upper-case letters, digits and underscores only. */
  readonly code?: string;
  /** OpenSSL's, in its words, for `certificate` and `tls`. */
  readonly reason?: string;
  /** For `proxy_status`. */
  readonly status?: number;
  /** Host and port of the proxy that was used. */
  readonly proxy?: string;
  /** It is the proxy's, not of what is behind it. */
  readonly atProxy?: true;
  /** Another possible cause, such as a CA file that could not be read. */
  readonly note?: string;
}

export type Outcome = Answer | Fault;

export interface SendOptions {
  readonly signal: AbortSignal;
  readonly tls?: TlsMaterial | undefined;
  /** Milliseconds for the whole attempt. */
  readonly timeoutMs: number;
}

/**
 * Sends one request once, and returns the outcome. It never follows a redirect and never retries.
 */
export interface Transport {
  /** @throws ERR_CERTIFICATE_INVALID, ERR_PROXY_INVALID: the user's configuration cannot be used */
  send(request: WireRequest, options: SendOptions): Promise<Outcome>;
}
