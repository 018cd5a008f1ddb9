import { gzipSync } from "node:zlib";
import type { BodyFault, HeaderFault, RedirectFault, StatusFault } from "../config/fault";
import type { WireAnswer } from "../identity/exchange";

/** Inputs of a change. */
export interface FaultyRequest {
  /** The origin that the client used. */
  readonly origin: string;
  readonly path: string;
  readonly body: Buffer;
  /** The service's clock: milliseconds since 1970. */
  readonly now: number;
}

type Headers = WireAnswer["headers"];

/** The answer of a proxy in front of the service. */
export function answerBeforeService(
  fault: StatusFault | RedirectFault,
  request: FaultyRequest,
): WireAnswer {
  const page = fault.kind === "status" ? fault.body : undefined;
  const body = Buffer.from(page ?? `<html><body><h1>${fault.status ?? 307}</h1></body></html>\n`);
  return {
    status: fault.status ?? 307,
    headers: [
      ["Date", new Date(request.now).toUTCString()],
      ["Content-Type", "text/html"],
      ...(fault.kind === "status"
        ? statusHeaders(fault, request)
        : [["Location", targetOf(fault, request)] as const]),
      ["Content-Length", String(body.length)],
    ],
    body,
  };
}

function statusHeaders({ retryAfter, headers = {} }: StatusFault, { now }: FaultyRequest): Headers {
  const wait =
    typeof retryAfter === "object"
      ? new Date(now + retryAfter.inSeconds * 1000).toUTCString()
      : retryAfter;
  return [
    ...(wait === undefined ? [] : [["Retry-After", String(wait)] as const]),
    ...Object.entries(headers),
  ];
}

function targetOf({ to }: RedirectFault, { origin, path }: FaultyRequest): string {
  switch (to) {
    case "itself":
      return `${origin}${path}`;
    case "http":
      return `${origin.replace(/^https:/, "http:")}${path}`;
    case "other_host":
      return `https://elsewhere.invalid${path}`;
    default:
      return to.url;
  }
}

/** The answer after a fault. Content-Length is that of the changed body. */
export function changeAnswer(
  answer: WireAnswer,
  fault: HeaderFault | BodyFault,
  request: FaultyRequest,
): WireAnswer {
  if (fault.kind === "header")
    return { ...answer, headers: changeHeader(answer.headers, fault, request) };
  const body = changeBody(answer.body, fault, request);
  const coding = fault.how === "compressed" ? [["Content-Encoding", "gzip"] as const] : [];
  const headers = answer.headers.map(([name, value]): Headers[number] =>
    name === "Content-Length" ? [name, String(body.length)] : [name, value],
  );
  return { ...answer, body, headers: [...headers, ...coding] };
}

function changeHeader(headers: Headers, fault: HeaderFault, request: FaultyRequest): Headers {
  const wanted = fault.name ?? "X-Subject-Token";
  const at = headers.findIndex(([name]) => name.toLowerCase() === wanted.toLowerCase());
  const [name, own] = headers[at] ?? [wanted, ""];
  const rest = headers.filter((_header, index) => index !== at);
  const values = HEADER_CHANGES[fault.how](own, fault, request);
  const changed = values.map((value) => [name, value] as const);
  // At its old place: the order of header lines must not change.
  return at < 0 ? [...rest, ...changed] : [...rest.slice(0, at), ...changed, ...rest.slice(at)];
}

/** The values of the lines that replace a header's own. */
const HEADER_CHANGES: Readonly<
  Record<
    HeaderFault["how"],
    (own: string, fault: HeaderFault, request: FaultyRequest) => readonly string[]
  >
> = {
  missing: () => [],
  empty: () => [""],
  doubled: (own, { value = own }) => [own, value],
  joined: (own, { value = own }) => [`${own}, ${value}`],
  monstrous: (own, { bytes = 100_000 }) => [own.padEnd(bytes, "x").slice(0, bytes)],
  unprintable: (own, { value = own }) => [`${value}\u0001`],
  non_ascii: (own, { value = own }) => [`${value}\u00e4`],
  replaced: (_own, { value = "" }) => [value],
  echo: (own, _fault, { body }) => [(passwordIn(body) ?? own).replace(/[^\x20-\x7e]/g, "?")],
};

function changeBody(body: Buffer, { how }: BodyFault, request: FaultyRequest): Buffer {
  switch (how) {
    case "empty":
      return Buffer.alloc(0);
    case "not_json":
      return Buffer.from("<html><body>It works!</body></html>\n");
    case "cut":
      return body.subarray(0, Math.floor(body.length / 2));
    case "compressed":
      return gzipSync(body);
    case "echo":
      return request.body;
    case "deep":
      return Buffer.from(`{"token":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    default:
      return withToken(body, (token) => ({
        ...token,
        ...TOKEN_CHANGES[how](token, (inMs) => new Date(request.now + inMs).toISOString()),
      }));
  }
}

type TokenMember = Readonly<Record<string, unknown>>;
type TokenChange = Exclude<
  BodyFault["how"],
  "empty" | "not_json" | "cut" | "compressed" | "echo" | "deep"
>;

const ELSEWHERE = { id: "e".repeat(32), name: "elsewhere" };
/** JSON omits these. */
const UNSCOPED = { domain: undefined, project: undefined };

const accountOf = ({ domain, project }: TokenMember) => domain ?? recordOf(project).domain;
const otherProject = (token: TokenMember) => ({
  ...UNSCOPED,
  project: { ...ELSEWHERE, domain: accountOf(token) },
  is_domain: false,
});

/** The changed members of a token; `time` is this many milliseconds from now. */
const TOKEN_CHANGES: Readonly<
  Record<TokenChange, (token: TokenMember, time: (inMs: number) => string) => TokenMember>
> = {
  other_scope: (token) =>
    token.project === undefined ? otherProject(token) : { ...UNSCOPED, domain: accountOf(token) },
  other_project: otherProject,
  other_account: ({ project }) =>
    project === undefined
      ? { domain: ELSEWHERE }
      : { project: { ...recordOf(project), domain: ELSEWHERE } },
  whole_system: () => ({ ...UNSCOPED, system: { all: true } }),
  expired: (_token, time) => ({ expires_at: time(-3_600_000) }),
  endless: (_token, time) => ({ expires_at: time(10 * 365 * 86_400_000) }),
  no_expiry: () => ({ expires_at: undefined }),
  aged: ({ issued_at, expires_at }, time) => {
    const sixth = (Date.parse(String(expires_at)) - Date.parse(String(issued_at))) / 6;
    return { issued_at: time(-5 * sixth), expires_at: time(sixth) };
  },
  wrong_types: () => ({ expires_at: { at: 1 }, issued_at: [], user: 7 }),
};

function withToken(body: Buffer, change: (token: TokenMember) => TokenMember): Buffer {
  const whole = recordOf(parseJson(body));
  // An error has no token to change.
  return "token" in whole
    ? Buffer.from(JSON.stringify({ ...whole, token: change(recordOf(whole.token)) }))
    : body;
}

function passwordIn(body: Buffer): string | undefined {
  let at: unknown = parseJson(body);
  for (const name of ["auth", "identity", "password", "user", "password"]) at = recordOf(at)[name];
  return typeof at === "string" ? at : undefined;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
