import type { BodyFault, HeaderFault, RedirectFault, StatusFault } from "../config/faults";
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

/** The answer after a fault. */
export function changeAnswer(
  answer: WireAnswer,
  fault: HeaderFault | BodyFault,
  { now }: FaultyRequest,
): WireAnswer {
  if (fault.kind === "header") {
    const { how, name = "X-Subject-Token", value } = fault;
    return withHeader(answer, name, (own) => HEADER_CHANGES[how](own, value));
  }
  switch (fault.how) {
    case "empty":
      return withBody(answer, Buffer.alloc(0));
    case "not_json":
      return withBody(answer, Buffer.from("<html><body>It works!</body></html>\n"));
    case "cut":
      return withBody(answer, answer.body.subarray(0, Math.floor(answer.body.length / 2)));
    default: {
      const change = TOKEN_CHANGES[fault.how];
      return withToken(answer, (token) =>
        change(token, (inMs) => new Date(now + inMs).toISOString()),
      );
    }
  }
}

/** The values of the lines that replace a header's own. */
const HEADER_CHANGES: Readonly<
  Record<HeaderFault["how"], (own: string, value: string | undefined) => readonly string[]>
> = {
  missing: () => [],
  empty: () => [""],
  doubled: (own, value = own) => [own, value],
  replaced: (_own, value = "") => [value],
};

/** Replaces a header line by others, at its place: the order of lines must not change. */
export function withHeader(
  { headers, ...answer }: WireAnswer,
  wanted: string,
  change: (own: string) => readonly string[],
): WireAnswer {
  const at = headers.findIndex(([name]) => name.toLowerCase() === wanted.toLowerCase());
  const [name, own] = headers[at] ?? [wanted, ""];
  const changed = change(own).map((value) => [name, value] as const);
  const [before, after] = at < 0 ? [headers, []] : [headers.slice(0, at), headers.slice(at + 1)];
  return { ...answer, headers: [...before, ...changed, ...after] };
}

/** Another body, with its length. */
export function withBody(answer: WireAnswer, body: Buffer): WireAnswer {
  const headers = answer.headers.map(([name, value]): Headers[number] =>
    name === "Content-Length" ? [name, String(body.length)] : [name, value],
  );
  return { ...answer, body, headers };
}

type TokenMember = Readonly<Record<string, unknown>>;

/** Replaces members of the token in the body; an error has none. */
export function withToken(
  answer: WireAnswer,
  change: (token: TokenMember) => TokenMember,
): WireAnswer {
  const whole = parseRecord(answer.body);
  if (!("token" in whole)) return answer;
  const token = recordOf(whole.token);
  const changed = { ...whole, token: { ...token, ...change(token) } };
  return withBody(answer, Buffer.from(JSON.stringify(changed)));
}

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
  Record<
    Exclude<BodyFault["how"], "empty" | "not_json" | "cut">,
    (token: TokenMember, time: (inMs: number) => string) => TokenMember
  >
> = {
  other_scope: (token) =>
    token.project === undefined ? otherProject(token) : { ...UNSCOPED, domain: accountOf(token) },
  other_project: otherProject,
  other_account: ({ project }) =>
    project === undefined
      ? { domain: ELSEWHERE }
      : { project: { ...recordOf(project), domain: ELSEWHERE } },
  expired: (_token, time) => ({ expires_at: time(-3_600_000) }),
  aged: ({ issued_at, expires_at }, time) => {
    const sixth = (Date.parse(String(expires_at)) - Date.parse(String(issued_at))) / 6;
    return { issued_at: time(-5 * sixth), expires_at: time(sixth) };
  },
};

function parseRecord(body: Buffer): TokenMember {
  try {
    return recordOf(JSON.parse(body.toString("utf8")));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): TokenMember {
  return typeof value === "object" && value !== null ? (value as TokenMember) : {};
}
