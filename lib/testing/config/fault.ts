/** A place in an answer. */
export type AnswerPlace = "before_head" | "in_head" | "after_head" | "in_body" | "after_body";

/**
 * What stands in front of the service answers in its place: the service is not asked, and nothing
 * is issued.
 */
export interface StatusFault {
  readonly kind: "status";
  readonly status: number;
  /**
   * Retry-After: seconds, a date so many seconds from the service's now (negative: in the past), or
   * any text. Default: none.
   */
  readonly retryAfter?: number | { readonly inSeconds: number } | string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: a short HTML page, as proxies send it. */
  readonly body?: string | undefined;
}

/**
 * A redirect in place of the service's answer: to the same address, to the same by http, to another
 * host, or to any address.
 */
export interface RedirectFault {
  readonly kind: "redirect";
  readonly to: "itself" | "http" | "other_host" | { readonly url: string };
  /** Default: 307, which asks to send the same request, body included, again. */
  readonly status?: 301 | 302 | 303 | 307 | 308 | undefined;
}

/** The service answers, and a header of it goes wrong on the way. */
export interface HeaderFault {
  readonly kind: "header";
  /**
   * - `missing`, `empty`;
   * - `doubled`: a second line, with `value` or the same again; `joined`: both in one line, as some
   * proxies do;
   * - `monstrous`: `bytes` long; `unprintable`: with a control character; `non_ascii`: with a byte
   * above ASCII;
   * - `replaced`: `value` in its place; `echo`: the request's password in its place.
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
  /** Of a monstrous one. Default: 100,000. */
  readonly bytes?: number | undefined;
}

/** The service answers, and the body is another one. */
export interface BodyFault {
  readonly kind: "body";
  /**
   * - `empty`; `not_json`: a page of HTML; `cut`: its first half, with the length of that;
   * `compressed`: by gzip, unasked;
   * - `echo`: the request, password included;
   * - `other_scope` (an account in place of a project, and the reverse), `other_project`,
   * `other_account`, `whole_system`;
   * - `expired`: an expires_at an hour ago; `endless`: one in ten years; `no_expiry`: none;
   * - `aged`: a token of which five sixths of the life are over;
   * - `wrong_types`: JSON of Keystone's names with nonsense in them; `deep`: JSON nested 100,000
   * levels.
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
 * The connection is reset, is closed, or stays open without another byte, at some place of the
 * answer.
 */
export interface BreakFault {
  readonly kind: "reset" | "close" | "silence";
  /** Default: before_head, when the request has been read and its token issued. */
  readonly when?: AnswerPlace | undefined;
}

/** The whole answer comes late: after the server's `wait`. */
export interface LateFault {
  readonly kind: "late";
  readonly milliseconds: number;
}

/** One byte at a time: a header without end in the head, or blanks without end in the body. */
export interface DripFault {
  readonly kind: "drip";
  readonly part: "head" | "body";
  /** By the server's `wait`. Default: 10. */
  readonly everyMs?: number | undefined;
  /** Then the connection is closed. Default: 1,000,000. */
  readonly bytes?: number | undefined;
}

/** A body of blanks, as fast as the client takes it. */
export interface HugeBodyFault {
  readonly kind: "huge_body";
  /** Default: 100,000,000. */
  readonly bytes?: number | undefined;
  /** Whether Content-Length tells it; else the body ends with the connection. Default: true. */
  readonly told?: boolean | undefined;
}

/** Header lines that nobody needs. */
export interface ManyHeadersFault {
  readonly kind: "many_headers";
  /** Default: 100,000. */
  readonly count?: number | undefined;
}

/** Provisional answers before the answer proper. */
export interface InformationalFault {
  readonly kind: "informational";
  readonly status: 100 | 102 | 103;
  /** Default: 1. */
  readonly times?: number | undefined;
  /** Between them, by the server's `wait`. Default: 0. */
  readonly everyMs?: number | undefined;
}

/**
 * The body in chunks: rightly (`fine`), or with a size that is none, a chunk that is cut off, or no
 * end.
 */
export interface ChunksFault {
  readonly kind: "chunks";
  readonly how: "fine" | "bad_size" | "cut" | "no_end";
}

/** Another form of answer than HTTP/1.1 has: HTTP/1.0 without a length, or no HTTP at all. */
export interface ProtocolFault {
  readonly kind: "http_1_0" | "not_http";
}

/**
 * Behind the answer, on the same connection, comes a second one that nobody asked for, with a token
 * of its own.
 */
export interface ExtraAnswerFault {
  readonly kind: "extra_answer";
}

/** The TLS handshake of the next connection goes wrong, so that there is no request at all. */
export interface TlsFault {
  readonly kind: "tls";
  /**
   * The certificate is `expired`, `not_yet_valid`, for another host (`wrong_name`), of an
   * `unknown_ca`; the server speaks TLS 1.1 at most (`too_old`), plain text (`not_tls`), or nothing
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

/** Changes what is answered. */
export type AnswerFault = StatusFault | RedirectFault | HeaderFault | BodyFault;

/** Changes how it is sent, below HTTP. */
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

/** One thing that goes wrong with one request. */
export type IdentityFault = AnswerFault | DeliveryFault | TlsFault;

/**
 * What one request meets: nothing, one fault, or several: any number that change the answer, and
 * one that changes how it is sent.
 */
export type FaultEntry = IdentityFault | readonly IdentityFault[] | null;

/**
 * Faults by request number. Every request counts, of whatever method; a connection counts when a
 * TLS fault is its turn.
 */
export interface FaultScript {
  readonly script: readonly FaultEntry[];
  /**
   * After the last: `none` (the service is well again), `last` (for ever), `again` (from the
   * beginning). Default: none.
   */
  readonly afterwards?: "none" | "last" | "again" | undefined;
}

/** Faults by chance, the same for the same seed. */
export interface RandomFaults {
  readonly seed: number;
  /** How many of the requests meet one: 0 to 1. Default: 0.5. */
  readonly share?: number | undefined;
}

/** A service that answers only so many token requests in a second; further ones get 429. */
export interface RateLimit {
  readonly issuesPerSecond: number;
  /** Seconds of Retry-After. Default: 1. */
  readonly retryAfter?: number | undefined;
}

/**
 * What goes wrong with an embedded identity service. The short form, a list, is a script that ends
 * with the service well again.
 */
export type FaultsConfig = readonly FaultEntry[] | FaultScript | RandomFaults | RateLimit;
