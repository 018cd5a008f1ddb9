import * as z from "zod";

// Each type stands above its schema: the published declarations must not need zod, which the
// bundle contains. `satisfies` keeps the two consistent.

// A value that a header line cannot carry at all is not allowed here.
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "must not have control characters");
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "must be the name of a header");

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

const status = z.strictObject({
  kind: z.literal("status"),
  status: z.int().min(200).max(999),
  retryAfter: z
    .union([
      z.int().min(0).max(1e9),
      headerValue,
      z.strictObject({ inSeconds: z.int().min(-1e9).max(1e9) }),
    ])
    .optional(),
  headers: z.record(headerName, headerValue).optional(),
  body: z.string().max(1_000_000).optional(),
}) satisfies z.ZodType<StatusFault>;

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

const redirect = z.strictObject({
  kind: z.literal("redirect"),
  to: z.union([z.enum(["itself", "http", "other_host"]), z.strictObject({ url: headerValue })]),
  status: z.literal([301, 302, 303, 307, 308]).optional(),
}) satisfies z.ZodType<RedirectFault>;

/** The service answers, and one of its headers is changed on the way. */
export interface HeaderFault {
  readonly kind: "header";
  /** `doubled`: a second line, with `value` or the same again; `replaced`: by `value`. */
  readonly how: "missing" | "empty" | "doubled" | "replaced";
  /** Default: X-Subject-Token. */
  readonly name?: string | undefined;
  /** Default: the header's own value. */
  readonly value?: string | undefined;
}

const header = z.strictObject({
  kind: z.literal("header"),
  how: z.enum(["missing", "empty", "doubled", "replaced"]),
  name: headerName.optional(),
  value: headerValue.optional(),
}) satisfies z.ZodType<HeaderFault>;

/** The service answers, and its body is replaced. */
export interface BodyFault {
  readonly kind: "body";
  /**
   * - `empty`; `not_json`: an HTML page; `cut`: the first half, with the length of that;
   * - `other_scope` (an account instead of a project, and the reverse), `other_project`,
   *   `other_account`;
   * - `expired`: with an expires_at an hour ago; `aged`: a token with a sixth of its lifetime left.
   */
  readonly how:
    | "empty"
    | "not_json"
    | "cut"
    | "other_scope"
    | "other_project"
    | "other_account"
    | "expired"
    | "aged";
}

const body = z.strictObject({
  kind: z.literal("body"),
  how: z.enum([
    "empty",
    "not_json",
    "cut",
    "other_scope",
    "other_project",
    "other_account",
    "expired",
    "aged",
  ]),
}) satisfies z.ZodType<BodyFault>;

/** The connection is reset, is closed, or stays open without further bytes. */
export interface BreakFault {
  readonly kind: "reset" | "close" | "silence";
  /**
   * Instead of the answer, or in the middle of its body. Default: before_head. In both cases, the
   * service has read the request and issued its token.
   */
  readonly when?: "before_head" | "in_body" | undefined;
}

const breakOff = z.strictObject({
  kind: z.enum(["reset", "close", "silence"]),
  when: z.enum(["before_head", "in_body"]).optional(),
}) satisfies z.ZodType<BreakFault>;

/** The whole answer is late, by the server's `wait`. */
export interface LateFault {
  readonly kind: "late";
  readonly milliseconds: number;
}

const late = z.strictObject({
  kind: z.literal("late"),
  milliseconds: z.int().min(0).max(600_000),
}) satisfies z.ZodType<LateFault>;

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

const tls = z.strictObject({
  kind: z.literal("tls"),
  how: z.enum([
    "expired",
    "not_yet_valid",
    "wrong_name",
    "unknown_ca",
    "too_old",
    "not_tls",
    "silent",
  ]),
}) satisfies z.ZodType<TlsFault>;

/** One fault of one request. */
export type IdentityFault =
  | StatusFault
  | RedirectFault
  | HeaderFault
  | BodyFault
  | BreakFault
  | LateFault
  | TlsFault;

const fault = z.discriminatedUnion("kind", [
  status,
  redirect,
  header,
  body,
  breakOff,
  late,
  tls,
]) satisfies z.ZodType<IdentityFault>;

/**
 * Faults of one request: none, one, or several: any number that change the answer, and one that
 * changes its transmission.
 */
export type FaultEntry = IdentityFault | readonly IdentityFault[] | null;

const ANSWER_KINDS: ReadonlySet<string> = new Set(["status", "redirect", "header", "body"]);

const several = z.array(fault).refine((faults) => {
  const below = faults.filter(({ kind }) => !ANSWER_KINDS.has(kind));
  return below.length <= 1 && (below[0]?.kind !== "tls" || faults.length === 1);
}, "must have at most one fault that is not of the answer, and a fault of TLS alone");

const entry = z.union([z.null(), fault, several]) satisfies z.ZodType<FaultEntry>;
const entries = z.array(entry.transform((given) => [given ?? []].flat())).max(100_000);

/**
 * Faults by request number. Every request counts, whatever its method; a TLS fault counts with its
 * connection.
 *
 * @see docs/testing.md
 */
export interface FaultScript {
  readonly script: readonly FaultEntry[];
  /**
   * After the last one: `none` (the service works again), or `last` (forever). Default: none.
   */
  readonly afterwards?: "none" | "last" | undefined;
}

const script = z
  .strictObject({
    script: entries,
    afterwards: z.enum(["none", "last"]).default("none"),
  })
  .refine(
    // A list without entries has no last one.
    ({ script: given, afterwards }) => afterwards === "none" || given.length > 0,
    "must have an entry to go on with",
  );
const list = entries.transform((given) => ({ script: given, afterwards: "none" as const }));

/** A service that answers only this many token requests per second; further ones get 429. */
export interface RateLimit {
  readonly issuesPerSecond: number;
  /** Seconds of Retry-After. Default: 1. */
  readonly retryAfter?: number | undefined;
}

const limit = z.strictObject({
  issuesPerSecond: z.int().min(1).max(1e6),
  retryAfter: z.int().min(0).max(1e6).default(1),
});

/**
 * Faults of an embedded identity service. The short form, a list, is a script after which the
 * service works again.
 *
 * @see docs/testing.md
 */
export type FaultsConfig = readonly FaultEntry[] | FaultScript | RateLimit;

/** @internal A checked `faults`; in a script, each request's faults are a list. */
export type FaultsSettings = z.infer<typeof script | typeof limit>;

/** @internal The member `faults` of a configuration. An error names the request and the problem. */
export const faults = z.custom<FaultsConfig>().transform((value, context): FaultsSettings => {
  const parsed = schemaFor(value).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues.map(innermost)) {
    context.addIssue({ code: "custom", path, message, input: undefined });
  }
  return z.NEVER;
});

/**
 * Selected by the present members instead of trying all in turn: the errors of a form that was not
 * intended would only confuse.
 */
function schemaFor(value: unknown): z.ZodType<FaultsSettings> {
  if (Array.isArray(value)) return list;
  return typeof value === "object" && value !== null && "issuesPerSecond" in value ? limit : script;
}

interface Mistake {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** The most likely intended form of an entry. */
function innermost(issue: z.core.$ZodIssue): Mistake {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const [, single = [], list = []] = issue.errors;
  const [meant] = list.some(({ code, path }) => code === "invalid_type" && path.length === 0)
    ? single
    : list;
  if (meant === undefined) return issue;
  const inner = innermost(meant);
  return { path: [...issue.path, ...inner.path], message: inner.message };
}
