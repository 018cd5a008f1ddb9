import * as z from "zod";
import type { FaultEntry, IdentityFault } from "./fault";

const milliseconds = z.int().min(0).max(600_000);
const bytes = z.int().min(1).max(1_000_000_000);
const count = z.int().min(1).max(10_000_000);
// A value that a header line cannot carry at all is a separate fault, and not allowed here.
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "must not have control characters");
const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "must be the name of a header");

/** For configurations, and for random selection. */
export const BREAKS = z.enum(["reset", "close", "silence"]);
export const PLACES = z.enum(["before_head", "in_head", "after_head", "in_body", "after_body"]);
export const CHUNKS = z.enum(["fine", "bad_size", "cut", "no_end"]);
export const INFORMATIONAL = z.literal([100, 102, 103]);
export const HEADERS = z.enum([
  "missing",
  "empty",
  "doubled",
  "joined",
  "monstrous",
  "unprintable",
  "non_ascii",
  "replaced",
  "echo",
]);
export const BODIES = z.enum([
  "empty",
  "not_json",
  "cut",
  "compressed",
  "echo",
  "other_scope",
  "other_project",
  "other_account",
  "whole_system",
  "expired",
  "endless",
  "no_expiry",
  "aged",
  "wrong_types",
  "deep",
]);
export const HANDSHAKES = z.enum([
  "expired",
  "not_yet_valid",
  "wrong_name",
  "unknown_ca",
  "too_old",
  "not_tls",
  "silent",
]);

// Users read the types in fault.ts; `satisfies` keeps the two consistent.
const fault = z.discriminatedUnion("kind", [
  z.strictObject({
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
  }),
  z.strictObject({
    kind: z.literal("redirect"),
    to: z.union([z.enum(["itself", "http", "other_host"]), z.strictObject({ url: headerValue })]),
    status: z.literal([301, 302, 303, 307, 308]).optional(),
  }),
  z.strictObject({
    kind: z.literal("header"),
    how: HEADERS,
    name: headerName.optional(),
    value: headerValue.optional(),
    bytes: bytes.optional(),
  }),
  z.strictObject({ kind: z.literal("body"), how: BODIES }),
  z.strictObject({ kind: BREAKS, when: PLACES.optional() }),
  z.strictObject({ kind: z.literal("late"), milliseconds }),
  z.strictObject({
    kind: z.literal("drip"),
    part: z.enum(["head", "body"]),
    everyMs: milliseconds.optional(),
    bytes: bytes.optional(),
  }),
  z.strictObject({
    kind: z.literal("huge_body"),
    bytes: bytes.optional(),
    told: z.boolean().optional(),
  }),
  z.strictObject({ kind: z.literal("many_headers"), count: count.optional() }),
  z.strictObject({
    kind: z.literal("informational"),
    status: INFORMATIONAL,
    times: count.optional(),
    everyMs: milliseconds.optional(),
  }),
  z.strictObject({ kind: z.literal("chunks"), how: CHUNKS }),
  z.strictObject({ kind: z.enum(["http_1_0", "not_http"]) }),
  z.strictObject({ kind: z.literal("extra_answer") }),
  z.strictObject({ kind: z.literal("tls"), how: HANDSHAKES }),
]) satisfies z.ZodType<IdentityFault>;

const ANSWER_KINDS: ReadonlySet<string> = new Set(["status", "redirect", "header", "body"]);

const several = z.array(fault).refine((faults) => {
  const below = faults.filter(({ kind }) => !ANSWER_KINDS.has(kind));
  return below.length <= 1 && (below[0]?.kind !== "tls" || faults.length === 1);
}, "must have at most one fault that is not of the answer, and a fault of TLS alone");

const entry = z.union([z.null(), fault, several]) satisfies z.ZodType<FaultEntry>;
const entries = z.array(entry.transform((given) => [given ?? []].flat())).max(100_000);

const script = z
  .strictObject({
    script: entries,
    afterwards: z.enum(["none", "last", "again"]).default("none"),
  })
  .refine(
    // A list without entries has no last one.
    ({ script: given, afterwards }) => afterwards === "none" || given.length > 0,
    "must have an entry to go on with",
  );
const list = entries.transform((given) => ({ script: given, afterwards: "none" as const }));
const random = z.strictObject({
  seed: z.int().min(0).max(0xffff_ffff),
  share: z.number().min(0).max(1).default(0.5),
});
const limit = z.strictObject({
  issuesPerSecond: z.int().min(1).max(1e6),
  retryAfter: z.int().min(0).max(1e6).default(1),
});

/** A checked `faults`; in a script, each request's faults are a list. */
export type FaultsSettings = z.infer<typeof script | typeof random | typeof limit>;

/** The member `faults` of a configuration. An error names the request and the problem. */
export const faults = z.unknown().transform((value, context): FaultsSettings => {
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
  const has = (name: string) => typeof value === "object" && value !== null && name in value;
  if (has("seed")) return random;
  return has("issuesPerSecond") ? limit : script;
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
