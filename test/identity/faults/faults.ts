import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import {
  type Answer,
  bytesOf,
  type Cut,
  type Intercept,
  type InterceptedRequest,
  type ServedAnswer,
} from "../../../lib/testing";
import { NOW } from "../support/wanted";

// Answers in the place of the service's.

/** A page of a proxy in front of the service, which gets no request. */
export const status =
  (code: number, retryAfter?: number): Intercept =>
  () => ({
    status: code,
    body: `<html><body><h1>${code}</h1></body></html>\n`,
    headers: retryAfter === undefined ? DATED : [...DATED, ["Retry-After", String(retryAfter)]],
  });

const DATED = [
  ["Date", new Date(NOW).toUTCString()],
  ["Content-Type", "text/html"],
] as const;

export const redirect =
  (code: number, to: (request: InterceptedRequest) => string): Intercept =>
  (request) => ({ status: code, headers: [...DATED, ["Location", to(request)]] });

/** Several, each of the answer of the one before. */
export const all =
  (first: Intercept, ...others: readonly Intercept[]): Intercept =>
  async (request, serve) => {
    let reaction = await first(request, serve);
    for (const fault of others) {
      const answer = { headers: [], body: "", ...(reaction as Answer) } as ServedAnswer;
      reaction = await fault(request, () => answer);
    }
    return reaction;
  };

// Headers.

/** Another value of a header. */
const header =
  (change: (own: string, request: InterceptedRequest) => string, name = TOKEN) =>
  (request: InterceptedRequest, serve: () => ServedAnswer): ServedAnswer => {
    const answer = serve();
    const isMeant = ([each]: readonly [string, string]) => each.toLowerCase() === name;
    const own = answer.headers.find(isMeant)?.[1] ?? "";
    const others = answer.headers.filter((each) => !isMeant(each));
    return { ...answer, headers: [...others, [name, change(own, request)]] };
  };

const TOKEN = "x-subject-token";

export const longHeader = () => header((own) => own.padEnd(100_000, "x"));
export const NON_ASCII_HEADER = header((own) => `${own}\u00e4`);
/** Node's server rightly refuses to send control characters. */
export const UNPRINTABLE_HEADER: Intercept = (request, serve) => ({
  cut: "close",
  bytes: bytesOf(header((own) => `${own}\u0001`)(request, serve)),
});
export const echoingHeader = (name?: string) =>
  header((own, { body }) => (passwordIn(body) ?? own).replace(/[^\x20-\x7e]/g, "?"), name);

function passwordIn(body: string): string | undefined {
  try {
    return JSON.parse(body).auth.identity.password.user.password;
  } catch {
    return undefined;
  }
}

// Bodies.

export const ECHOING_BODY: Intercept = ({ body }, serve) => ({ ...serve(), body });
export const COMPRESSED_BODY: Intercept = (_request, serve) => {
  const { headers, ...answer } = serve();
  const compressed = [...headers, ["Content-Encoding", "gzip"] as const];
  return { ...answer, headers: compressed, body: gzipSync(answer.body) };
};

// Transmission.

/** The service has issued its token, and the answer is cut. */
const cut =
  (how: Cut["cut"], bytes: (answer: ServedAnswer) => NonNullable<Cut["bytes"]>): Intercept =>
  (_request, serve) => ({ cut: how, bytes: bytes(serve()) });

const PLACES = {
  "before the head": () => 0,
  "in the head": (head: number) => Math.floor(head / 2),
  "after the head": (head: number) => head,
  "in the body": (head: number, all: number) => head + Math.floor((all - head) / 2),
};

/** A connection that breaks at a place of the answer. */
export const breakAt = (how: Cut["cut"], place: keyof typeof PLACES) =>
  cut(how, (answer) => {
    const bytes = bytesOf(answer);
    return bytes.subarray(0, PLACES[place](bytes.indexOf("\r\n\r\n") + 4, bytes.length));
  });

/** With other lines for the body's length, or without one. */
function headOf(answer: ServedAnswer, ...framing: readonly (readonly [string, string])[]): string {
  const given = framing.length === 0 ? [["Content-Length", "0"] as const] : framing;
  const head = bytesOf({ ...answer, headers: [...answer.headers, ...given], body: "" });
  const text = head.toString("latin1");
  return framing.length === 0 ? text.replace("Content-Length: 0\r\n", "") : text;
}

/** This many times, with an optional wait after each. */
async function* repeat(text: string, times: number, everyMs = 0): AsyncIterable<Buffer> {
  const block = Buffer.from(text);
  for (let time = 0; time < times; time += 1) {
    yield block;
    if (everyMs > 0) await sleep(everyMs, undefined, { ref: false });
  }
}

async function* sequence(
  ...parts: readonly (string | Uint8Array | AsyncIterable<Buffer>)[]
): AsyncIterable<Uint8Array> {
  for (const part of parts) {
    if (typeof part === "string") yield Buffer.from(part, "latin1");
    else if (part instanceof Uint8Array) yield part;
    else yield* part;
  }
}

/** An endless header in the head, or endless blanks in the body. */
export const drip = (part: "head" | "body") =>
  cut("close", (answer) => {
    const head = headOf(answer, ["Content-Length", "1000000"]);
    return part === "head"
      ? sequence(`${head.slice(0, -2)}x-drip: `, repeat("a", 1_000_000, 10))
      : sequence(head, repeat(" ", 1_000_000, 10));
  });

export const MANY_HEADERS = cut("close", (answer) => {
  const headers = Array.from({ length: 100_000 }, () => ["x-a", "b"] as const);
  return bytesOf({ ...answer, headers: [...headers, ...answer.headers] });
});

/** Provisional answers before the final answer. */
export const informational = (code: 100 | 102 | 103, times = 1, everyMs = 0) =>
  cut("close", (answer) => {
    const provisional = headOf({ status: code, headers: [], body: "" });
    return sequence(repeat(provisional, times, everyMs), bytesOf(answer));
  });

/** A chunk without bytes would be the end. */
const chunk = (text: string) =>
  text.length === 0 ? "" : `${text.length.toString(16)}\r\n${text}\r\n`;

export const chunks = (how: "fine" | "bad size" | "no end") =>
  cut(how === "no end" ? "silence" : "close", (answer) => {
    const half = Math.floor(answer.body.length / 2);
    const second = chunk(answer.body.slice(half));
    const tail = {
      fine: `${second}0\r\n\r\n`,
      "bad size": "zz\r\n",
      "no end": second,
    };
    const head = headOf(answer, ["Transfer-Encoding", "chunked"]);
    return sequence(`${head}${chunk(answer.body.slice(0, half))}${tail[how]}`);
  });

/** Without a length. */
export const HTTP_1_0 = cut("close", (answer) =>
  sequence(headOf(answer).replace("HTTP/1.1", "HTTP/1.0"), answer.body),
);
export const NOT_HTTP = cut("close", () => "SSH-2.0-OpenSSH_9.2\r\n\r\n");

/** A second answer behind the first, with a token that was never issued. */
export const EXTRA_ANSWER = cut("silence", (answer) => {
  const extra = bytesOf({ status: 201, headers: [["X-Subject-Token", "unasked-token"]] });
  return Buffer.concat([bytesOf(answer), extra]);
});
