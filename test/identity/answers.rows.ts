import type { Scope } from "../../lib/identity";
import type { Fault, FaultKind, Outcome } from "../../lib/identity/transport/transport";
import type { ErrorCode } from "../../lib/tokens";
import { answer, fault } from "./support/scripted";
import { ACCOUNT, HOUR, httpDate, NOW, PASSWORD_CANARY, project } from "./support/wanted";

/** An answer to a request for a token, or none, and what our client makes of it. */
export interface AnswerRow {
  readonly what: string;
  readonly outcome: Outcome;
  /** Default: the account. */
  readonly scope?: Scope;
  readonly ends: ErrorCode | "token";
  /** After how many milliseconds it is tried again, with the chance in the middle. Default: not. */
  readonly again?: number;
  /** Why it is not, if the answer itself does not say so. */
  readonly why?: string;
  /** A part of the message, or of a token's warning about the body. */
  readonly says?: string;
  /** Of a token: the hours that it lives. Default: 24. */
  readonly lives?: number;
}

export const ID = "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01";

/** What a message must not repeat: all of an answer but its status and request id. */
const EVIL = {
  "x-openstack-request-id": ID,
  Location: `https://evil.example/${PASSWORD_CANARY}`,
  "WWW-Authenticate": 'Bearer realm="https://evil.example"',
  Date: httpDate(NOW),
};
const evil = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  answer(status, { ...EVIL, ...headers }, `<html>${PASSWORD_CANARY} evil\u001b[2J::error::</html>`);

const statuses = (ends: ErrorCode, list: readonly number[], more: Partial<AnswerRow> = {}) =>
  list.map(
    (status): AnswerRow => ({
      what: String(status),
      // A request to wait does not make an answer one that passes.
      outcome: evil(status, more.again === undefined ? { "Retry-After": "1" } : {}),
      ends,
      says: `answered ${status} (request id ${ID})`,
      ...more,
    }),
  );

const STATUSES: readonly AnswerRow[] = [
  ...statuses("ERR_REDIRECTED", [300, 301, 304, 308, 399]),
  ...statuses("ERR_CREDENTIALS_REJECTED", [401]),
  {
    what: "401 for a project whose name has commands for a terminal and for CI",
    outcome: evil(401),
    scope: project("\u001b[2J\n::error::x"),
    ends: "ERR_CREDENTIALS_REJECTED",
  },
  ...statuses("ERR_REQUEST_REFUSED", [400, 403, 408, 413, 499]),
  ...statuses("ERR_ENDPOINT_NOT_FOUND", [404], { says: "anything else; then /auth/tokens." }),
  ...statuses("ERR_RATE_LIMITED", [429], { again: 125 }),
  ...statuses("ERR_SERVICE_FAILED", [500, 503, 599], { again: 125 }),
  ...statuses("ERR_ANSWER_UNEXPECTED", [200, 202, 204, 600, 999], {
    says: `(request id ${ID}). The identity service answers 201 there.`,
  }),
];

const asking = (retryAfter: string, again?: number, why?: string, status = 503): AnswerRow => ({
  what: `${status} with Retry-After: ${retryAfter}`,
  outcome: evil(status, { "Retry-After": retryAfter }),
  ends: status === 503 ? "ERR_SERVICE_FAILED" : "ERR_RATE_LIMITED",
  ...(again === undefined ? {} : { again }),
  ...(why === undefined ? {} : { why }),
});
const hour = HOUR / 1000;

const WAITS: readonly AnswerRow[] = [
  asking("7", 7_125, undefined, 429),
  asking("19", undefined, "Retry-After is 19 s, and 20 s of the 20 s for all tries is left"),
  asking("60", undefined, "Retry-After is 1 min, and 20 s of the 20 s for all tries is left"),
  asking(
    "61",
    undefined,
    "Retry-After is 1 min 1 s, and 20 s of the 20 s for all tries is left",
    429,
  ),
  asking(httpDate(NOW + 7_000), 7_125),
  asking(httpDate(NOW - HOUR), 125),
  asking(
    httpDate(NOW + HOUR),
    undefined,
    "Retry-After is 1 h, and 20 s of the 20 s for all tries is left",
  ),
  ...["0", "-5", "1.5", "soon", "", "99999999999999999999"].map((text) => asking(text, 125)),
  {
    what: "503 with Retry-After as a date, by the service's own clock",
    outcome: evil(503, {
      "Retry-After": httpDate(NOW - HOUR + 7_000),
      Date: httpDate(NOW - HOUR),
    }),
    ends: "ERR_SERVICE_FAILED",
    again: 7_125,
  },
];

const BAD_HTTP =
  "answered with something that is not usable HTTP: not HTTP, a header that is invalid or above 32768 bytes, an interim status 101, or more than 2097152 bytes.";
const P = { proxy: "p:1" };
const AT_PROXY = { ...P, atProxy: true } as const;
const failed = (code: string) =>
  ["connection", `The connection to k.example failed (${code}).`, { code }] as const;
type FaultRow = readonly [kind: FaultKind, says: string, over?: Partial<Fault>];

const faults = (ends: ErrorCode, again: number | undefined, ...rows: readonly FaultRow[]) =>
  rows.map(([kind, says, over = {}]): AnswerRow => {
    const what = `${kind}, ${says.split(": ")[0]}`;
    return { what, outcome: fault(kind, over), ends, says, ...(again && { again }) };
  });

const FAULTS: readonly AnswerRow[] = [
  ...faults(
    "ERR_CONNECTION_FAILED",
    125,
    ["connect_timeout", "No connection to k.example within 5 s."],
    ["connect_timeout", "No connection to k.example through the proxy p:1 within 5 s.", P],
    ["connection", "The connection to k.example was closed before the answer was complete."],
    ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "EAI_AGAIN"].map(failed),
    [
      "connection",
      "The connection to the proxy p:1 failed (ECONNREFUSED).",
      { code: "ECONNREFUSED", ...AT_PROXY },
    ],
  ),
  ...faults("ERR_CONNECTION_FAILED", undefined, failed("ENOTFOUND"), failed("ENOMEM")),
  ...faults("ERR_NO_ANSWER", 125, ["no_answer", "k.example did not answer within 10 s."]),
  ...faults(
    "ERR_TLS_FAILED",
    undefined,
    ["tls", "No TLS connection to k.example."],
    [
      "certificate",
      "No trusted TLS connection to k.example (a code). A note.",
      { code: "a code", note: "A note." },
    ],
  ),
  ...[407, 429, 502].flatMap((status) =>
    faults("ERR_PROXY_REFUSED", status === 407 ? undefined : 125, [
      "proxy_status",
      `The proxy p:1 answered ${status} to the request to connect to k.example.`,
      { status, ...P },
    ]),
  ),
  ...faults(
    "ERR_ANSWER_UNEXPECTED",
    undefined,
    ["malformed", `k.example ${BAD_HTTP}`],
    ["malformed", `The proxy p:1 ${BAD_HTTP}`, AT_PROXY],
  ),
  ...faults("ERR_CANCELLED", undefined, ["cancelled", "The request was cancelled."]),
];

const TOKEN = "gAAAA-CANARY-token-77aa";
/** 201 means that a token was issued: whatever is wrong with it, no second one is requested. */
const created = (
  what: string,
  token: string | readonly string[],
  says: string,
  over: object = {},
): AnswerRow => ({
  what: `201 with ${what}`,
  outcome: {
    ...answer(201, { "X-Subject-Token": token, "X-Request-Id": ID, Date: httpDate(NOW) }),
    ...over,
  },
  ends: "ERR_TOKEN_HEADER_INVALID",
  says: `/auth/tokens (request id ${ID}) answered 201 ${says}`,
});
const TWICE = "with more than one X-Subject-Token";
const UNPRINTABLE = "with an X-Subject-Token that is empty or not printable ASCII";
const ECHO = "with the secret of the request in X-Subject-Token. Do not use this address";

const HEADERS: readonly AnswerRow[] = [
  created("no token", [], "without an X-Subject-Token header"),
  created("two tokens", ["x", "y"], TWICE),
  created("one token twice", ["x", "x"], TWICE),
  created("two that a proxy joined", `${TOKEN}, b`, TWICE),
  created("an empty token", "", UNPRINTABLE),
  created("a blank in it", `${TOKEN} x`, UNPRINTABLE),
  created("an escape before it", `\u001b[31m${TOKEN}`, UNPRINTABLE),
  created("bytes above ASCII", `${TOKEN}\u00e4`, UNPRINTABLE),
  created("the password", PASSWORD_CANARY, ECHO),
  created("the password in it", `gAAAA${PASSWORD_CANARY}x`, ECHO),
  {
    what: "a header in other letters",
    outcome: answer(201, { "X-SUBJECT-TOKEN": "t" }),
    ends: "token",
  },
];

const says = (token: unknown, date: string | readonly string[] = httpDate(NOW)) =>
  answer(201, { "X-Subject-Token": TOKEN, Date: date }, { token });
const WEB = project("web");
const BY_ID: Scope = { kind: "project", project: { id: "abc" } };
const MINE = 'account "123456"';
const web = { name: "web", domain: { name: "123456" } };

const other = (what: string, scope: Scope, token: unknown, asked: string): AnswerRow => ({
  what,
  scope,
  outcome: says(token),
  ends: "ERR_SCOPE_MISMATCH",
  says: `A token for ${asked} was requested, but https://k.example/identity/v3/auth/tokens issued another one.`,
});
const fine = (what: string, scope: Scope, body: unknown): AnswerRow => ({
  what,
  scope,
  outcome: says(body),
  ends: "token",
});

const SCOPES: readonly AnswerRow[] = [
  other("another account", ACCOUNT, { domain: { name: "123456A" } }, MINE),
  other("an account given as another number", ACCOUNT, { domain: { name: 7 } }, MINE),
  other("a project", ACCOUNT, { project: web }, "one account"),
  other("the token as a project", ACCOUNT, { project: { name: TOKEN } }, "one account"),
  other("the system", ACCOUNT, { system: { all: true } }, "one account"),
  other(
    "another account's user",
    ACCOUNT,
    { user: { domain: { name: "1" } }, domain: { name: "123456" } },
    'a user of account "123456"',
  ),
  other(
    "a project of another account",
    WEB,
    { project: { name: "web", domain: { name: "1" } } },
    'a project of account "123456"',
  ),
  other("the account", WEB, { domain: { name: "123456" } }, "one project"),
  other(
    "another project, with everything else unreadable",
    WEB,
    { project: { name: "x", domain: 7 }, expires_at: 5, issued_at: null, domain: [], user: 7 },
    'project "web"',
  ),
  other("another id", BY_ID, { project: { id: "ABC", name: "web" } }, 'project with id "abc"'),
  fine("the id", BY_ID, { project: { ...web, id: "abc", domain: { name: "1" } } }),
  // As databases compare names: without case, accents and blanks at the ends.
  ...[
    ["web", "Web"],
    ["B\u00fcro", "Bu\u0308ro "],
    ["stra\u00dfe", "STRASSE"],
  ].map(([name = "", answered]) =>
    fine(`${name} as ${answered}`, project(name), { project: { name: answered } }),
  ),
  fine("a body that names nothing", ACCOUNT, {}),
  fine("the account as a number", ACCOUNT, { domain: { name: 123456 } }),
  fine("ids alone", WEB, { project: { id: "x", domain: { id: "y" } } }),
  fine("a user without an account", ACCOUNT, { user: {} }),
  fine("null members", WEB, { project: web, domain: null, system: null }),
];

const GZIP = { "Content-Encoding": "gzip" };
const NO_BODY: readonly AnswerRow[] = [
  ["no body", ""],
  ["blanks", " \r\n"],
  ["a page", "<html>", "is not JSON"],
  ["a compressed page", "\u001f\u008b", "is compressed, which was not requested", GZIP],
  ["JSON that claims to be compressed", "{}", undefined, GZIP],
  ["JSON null", "null"],
  ["a list for a token", '{"token":[]}'],
  ["100,000 levels", "[".repeat(100_000), "is not JSON"],
  ["no UTF-8", "\udcff", "is not JSON"],
].map(([what, body, says, more]) => ({
  what: `a body with ${what}`,
  outcome: answer(
    201,
    { "X-Subject-Token": TOKEN, Date: httpDate(NOW), ...(more as typeof GZIP) },
    body,
  ),
  ends: "token",
  ...(typeof says === "string" && { says }),
}));

const at = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();
const ending = (expires_at: unknown, lives: number): AnswerRow => ({
  what: `expires_at ${JSON.stringify(expires_at)}`,
  outcome: says({ expires_at }),
  ends: "token",
  lives,
});

const LIVES: readonly AnswerRow[] = [
  ending(at(900 * HOUR), 24),
  ...["2026-11-20T15:00:00.000000Z", "2026-11-20T16:00:00+01:00", "2026-11-20T15:00:00"].map(
    (text) => ending(text, 3),
  ),
  ...[
    "",
    "tomorrow",
    "2026-11-20",
    "2026-11-20 15:00:00",
    "2026-13-40T00:00:00Z",
    "+002026-11-20T15:00:00Z",
    hour,
    [hour],
  ].map((text) => ({ ...ending(text, 24), says: "The answer's expires_at cannot be read" })),
  ending(null, 24),
  {
    ...ending(at(0), 0),
    ends: "ERR_TOKEN_EXPIRED",
    says: `expired at ${at(0)}; the service's clock`,
  },
  {
    what: "an end by our clock",
    outcome: says({ expires_at: at(-1) }, []),
    ends: "ERR_TOKEN_EXPIRED",
    says: "; this machine's clock says",
  },
  ...(["cut off", "too long", "too slow"] as const).map((end) => ({
    what: `201 with a body that is ${end}, whatever its first part says`,
    outcome: { ...says({ domain: { name: "999" }, expires_at: at(HOUR) }), end },
    ends: "token" as const,
    says: `was ${end}`,
  })),
  ...["nonsense", "2026-11-20T01:00:00Z", "Fri, 20 Nov 2026 01:00:00 GMT (noon)"].map((date) => ({
    what: `Date: ${date}`,
    outcome: says({}, date),
    ends: "token" as const,
  })),
  {
    what: "two Dates",
    outcome: says({}, [httpDate(NOW - HOUR), httpDate(NOW - 2 * HOUR)]),
    ends: "token",
  },
];

export const ANSWERS: readonly AnswerRow[] = [
  ...STATUSES,
  ...WAITS,
  ...FAULTS,
  ...HEADERS,
  ...SCOPES,
  ...NO_BODY,
  ...LIVES,
];
