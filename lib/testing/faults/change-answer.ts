import { gzipSync } from "node:zlib";
import type { BodyFault, HeaderFault, RedirectFault, StatusFault } from "../config/fault";
import type { WireAnswer } from "../identity/exchange";

/** What a change may draw on. */
export interface FaultyRequest {
  /** The origin that the client used. */
  readonly origin: string;
  readonly path: string;
  readonly body: Buffer;
  /** The service's clock: milliseconds since 1970. */
  readonly now: number;
}

type Headers = WireAnswer["headers"];

/** The answer of what stands in front of the service. */
export function answerInFront(
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

/** The answer as a fault leaves it. Content-Length is that of the changed body. */
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
  const changed = changedValues(own, fault, request).map((value) => [name, value] as const);
  // In its old place: the order of header lines is nothing that goes wrong here.
  return at < 0 ? [...rest, ...changed] : [...rest.slice(0, at), ...changed, ...rest.slice(at)];
}

function changedValues(
  own: string,
  { how, value, bytes = 100_000 }: HeaderFault,
  request: FaultyRequest,
): string[] {
  switch (how) {
    case "missing":
      return [];
    case "empty":
      return [""];
    case "doubled":
      return [own, value ?? own];
    case "joined":
      return [`${own}, ${value ?? own}`];
    case "monstrous":
      return [own.padEnd(bytes, "x").slice(0, bytes)];
    case "unprintable":
      return [`${value ?? own}\u0001`];
    case "non_ascii":
      return [`${value ?? own}\u00e4`];
    case "replaced":
      return [value ?? ""];
    case "echo":
      return [(passwordIn(request.body) ?? own).replace(/[^\x20-\x7e]/g, "?")];
  }
}

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
      return withToken(body, (token) => changeToken(token, how, request.now));
  }
}

type TokenMember = Readonly<Record<string, unknown>>;
type TokenChange = Exclude<
  BodyFault["how"],
  "empty" | "not_json" | "cut" | "compressed" | "echo" | "deep"
>;

const ELSEWHERE = { id: "e".repeat(32), name: "elsewhere" };

function changeToken(token: TokenMember, how: TokenChange, now: number): TokenMember {
  const { domain, project, ...unscoped } = token;
  const account = domain ?? recordOf(project).domain;
  const elsewhere = { project: { ...ELSEWHERE, domain: account }, is_domain: false };
  const time = (inMs: number) => new Date(now + inMs).toISOString();
  switch (how) {
    case "other_scope":
      return { ...unscoped, ...(project === undefined ? elsewhere : { domain: account }) };
    case "other_project":
      return { ...unscoped, ...elsewhere };
    case "other_account":
      return project === undefined
        ? { ...unscoped, domain: ELSEWHERE }
        : { ...unscoped, project: { ...recordOf(project), domain: ELSEWHERE } };
    case "whole_system":
      return { ...unscoped, system: { all: true } };
    case "expired":
      return { ...token, expires_at: time(-3_600_000) };
    case "endless":
      return { ...token, expires_at: time(10 * 365 * 86_400_000) };
    case "no_expiry":
      return { ...token, expires_at: undefined };
    case "aged": {
      const { issued_at, expires_at } = token;
      const sixth = (Date.parse(String(expires_at)) - Date.parse(String(issued_at))) / 6;
      return { ...token, issued_at: time(-5 * sixth), expires_at: time(sixth) };
    }
    case "wrong_types":
      return { ...token, expires_at: { at: 1 }, issued_at: [], user: 7 };
  }
}

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
