/** A place in an answer. */
export type AnswerPlace = "before_head" | "in_head" | "after_head" | "in_body" | "after_body";

/**
 * A proxy in front of the service answers instead of it: the service gets no request and issues
 * nothing.
 */
export interface StatusFault {
  readonly kind: "status";
  readonly status: number;
  /**
   * Retry-After: seconds, a date this many seconds from the service's time (negative: in the past),
   * or any string. Default: none.
   */
  readonly retryAfter?: number | { readonly inSeconds: number } | string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: a short HTML page, like a proxy's. */
  readonly body?: string | undefined;
}

/**
 * A redirect instead of the service's answer: to the same address, to the same by http, to another
 * host, or to any address.
 */
export interface RedirectFault {
  readonly kind: "redirect";
  readonly to: "itself" | "http" | "other_host" | { readonly url: string };
  /** Default: 307, which requires the client to repeat the request with its body. */
  readonly status?: 301 | 302 | 303 | 307 | 308 | undefined;
}

/** The service answers, and one of its headers is changed on the way. */
export interface HeaderFault {
  readonly kind: "header";
  /**
   * - `missing`, `empty`;
   * - `doubled`: a second line, with `value` or the same again; `joined`: both in one line, as some
   *   proxies do;
   * - `monstrous`: `bytes` long; `unprintable`: with a control character; `non_ascii`: with a byte
   *   above ASCII;
   * - `replaced`: by `value`; `echo`: by the request's password.
   */
  readonly how:
    | "missing"
    | "empty"
    | "doubled"
    | "joined"
    | "monstrous"
    | "unprintable"
    | "non_ascii"
    | "replaced"
    | "echo";
  /** Default: X-Subject-Token. */
  readonly name?: string | undefined;
  /** Default: the header's own value. */
  readonly value?: string | undefined;
  /** Length of a monstrous one. Default: 100,000. */
  readonly bytes?: number | undefined;
}

/** The service answers, and its body is replaced. */
export interface BodyFault {
  readonly kind: "body";
  /**
   * - `empty`; `not_json`: an HTML page; `cut`: the first half, with the length of that;
   *   `compressed`: by gzip, without a request for it;
   * - `echo`: the request, including its password;
   * - `other_scope` (an account instead of a project, and the reverse), `other_project`,
   *   `other_account`, `whole_system`;
   * - `expired`: with an expires_at an hour ago; `endless`: in ten years; `no_expiry`: without one;
   * - `aged`: a token with five sixths of its lifetime over;
   * - `wrong_types`: JSON with Keystone's names and nonsensical values; `deep`: JSON nested 100,000
   *   levels.
   */
  readonly how:
    | "empty"
    | "not_json"
    | "cut"
    | "compressed"
    | "echo"
    | "other_scope"
    | "other_project"
    | "other_account"
    | "whole_system"
    | "expired"
    | "endless"
    | "no_expiry"
    | "aged"
    | "wrong_types"
    | "deep";
}

/**
 * The connection is reset, is closed, or stays open without further bytes, at some place of the
 * answer.
 */
export interface BreakFault {
  readonly kind: "reset" | "close" | "silence";
  /** Default: before_head, after the request has been read and its token issued. */
  readonly when?: AnswerPlace | undefined;
}

/** The whole answer is late, by the server's `wait`. */
export interface LateFault {
  readonly kind: "late";
  readonly milliseconds: number;
}

/** One byte at a time: an endless header in the head, or endless blanks in the body. */
export interface DripFault {
  readonly kind: "drip";
  readonly part: "head" | "body";
  /** Interval, by the server's `wait`. Default: 10. */
  readonly everyMs?: number | undefined;
  /** After these bytes, the connection is closed. Default: 1,000,000. */
  readonly bytes?: number | undefined;
}

/** A body of blanks, as fast as the client reads it. */
export interface HugeBodyFault {
  readonly kind: "huge_body";
  /** Default: 100,000,000. */
  readonly bytes?: number | undefined;
  /**
   * Whether Content-Length announces it; otherwise the body ends with the connection. Default:
   * true.
   */
  readonly told?: boolean | undefined;
}

/** Unneeded header lines. */
export interface ManyHeadersFault {
  readonly kind: "many_headers";
  /** Default: 100,000. */
  readonly count?: number | undefined;
}

/** Provisional answers before the final answer. */
export interface InformationalFault {
  readonly kind: "informational";
  readonly status: 100 | 102 | 103;
  /** Default: 1. */
  readonly times?: number | undefined;
  /** The interval between them, by the server's `wait`. Default: 0. */
  readonly everyMs?: number | undefined;
}

/**
 * The body in chunks: correct (`fine`), with an invalid size, with an incomplete chunk, or without
 * an end.
 */
export interface ChunksFault {
  readonly kind: "chunks";
  readonly how: "fine" | "bad_size" | "cut" | "no_end";
}

/** Another form of answer than HTTP/1.1: HTTP/1.0 without a length, or not HTTP at all. */
export interface ProtocolFault {
  readonly kind: "http_1_0" | "not_http";
}

/**
 * After the answer, a second one follows on the same connection without a request, with its own
 * token.
 */
export interface ExtraAnswerFault {
  readonly kind: "extra_answer";
}

/** The TLS handshake of the next connection fails, so there is no request at all. */
export interface TlsFault {
  readonly kind: "tls";
  /**
   * The certificate is `expired`, `not_yet_valid`, for another host (`wrong_name`), or of an
   * `unknown_ca`; the server speaks at most TLS 1.1 (`too_old`), plain text (`not_tls`), or nothing
   * (`silent`).
   */
  readonly how:
    | "expired"
    | "not_yet_valid"
    | "wrong_name"
    | "unknown_ca"
    | "too_old"
    | "not_tls"
    | "silent";
}

/** A fault that changes the answer. */
export type AnswerFault = StatusFault | RedirectFault | HeaderFault | BodyFault;

/** A fault that changes its transmission, below HTTP. */
export type DeliveryFault =
  | BreakFault
  | LateFault
  | DripFault
  | HugeBodyFault
  | ManyHeadersFault
  | InformationalFault
  | ChunksFault
  | ProtocolFault
  | ExtraAnswerFault;

/** One fault of one request. */
export type IdentityFault = AnswerFault | DeliveryFault | TlsFault;

/**
 * Faults of one request: none, one, or several: any number that change the answer, and one that
 * changes its transmission.
 */
export type FaultEntry = IdentityFault | readonly IdentityFault[] | null;

/**
 * Faults by request number. Every request counts, whatever its method; a TLS fault counts with its
 * connection.
 *
 * @see docs/testing.md
 */
export interface FaultScript {
  readonly script: readonly FaultEntry[];
  /**
   * After the last one: `none` (the service works again), `last` (forever), `again` (from the
   * beginning). Default: none.
   */
  readonly afterwards?: "none" | "last" | "again" | undefined;
}

/** Random faults, the same for the same seed. */
export interface RandomFaults {
  readonly seed: number;
  /** The share of requests with a fault: 0 to 1. Default: 0.5. */
  readonly share?: number | undefined;
}

/** A service that answers only this many token requests per second; further ones get 429. */
export interface RateLimit {
  readonly issuesPerSecond: number;
  /** Seconds of Retry-After. Default: 1. */
  readonly retryAfter?: number | undefined;
}

/**
 * Faults of an embedded identity service. The short form, a list, is a script after which the
 * service works again.
 *
 * @see docs/testing.md
 */
export type FaultsConfig = readonly FaultEntry[] | FaultScript | RandomFaults | RateLimit;
