import { gzipSync } from "node:zlib";
import type { FaultEntry, IdentityFault } from "../../../lib/testing";
import {
  type FaultyRequest,
  withBody,
  withHeader,
  withToken,
} from "../../../lib/testing/faults/change-answer";
import type { WireFault } from "../../../lib/testing/faults/fault-plan";
import type { Wire } from "../../../lib/testing/faults/wire";
import { headBytes, type WireAnswer } from "../../../lib/testing/identity/exchange";

/** A fault that the public ones do not have: only a client at the level of bytes meets it. */
export interface OwnFault extends WireFault {
  readonly kind: "own";
  readonly name: string;
}

type TestFault = IdentityFault | OwnFault;
export type TestFaultEntry = TestFault | readonly TestFault[] | null;

const toList = (entry: TestFaultEntry): readonly TestFault[] =>
  entry === null ? [] : "kind" in entry ? [entry] : entry;

/** The configuration of the embedded service, and its option, for a script with faults of both. */
export function splitScript(script: readonly TestFaultEntry[]): {
  readonly faults: FaultEntry[];
  readonly wireFaults: WireFault[];
} {
  const lists = script.map(toList);
  return {
    faults: lists.map((list) => list.filter((fault) => fault.kind !== "own")),
    wireFaults: lists.map((list) => combine(list.filter((fault) => fault.kind === "own"))),
  };
}

function combine(faults: readonly OwnFault[]): WireFault {
  const send = faults.findLast((fault) => fault.send !== undefined)?.send;
  const change = (answer: WireAnswer, request: FaultyRequest) =>
    faults.reduce((changed, fault) => fault.change?.(changed, request) ?? changed, answer);
  return { change, ...(send === undefined ? {} : { send }) };
}

// Headers.

const header = (
  name: string,
  change: (own: string, request: FaultyRequest) => string,
  of = "X-Subject-Token",
): OwnFault => ({
  kind: "own",
  name,
  change: (answer, request) => withHeader(answer, of, (own) => [change(own, request)]),
});

/** Two lines in one, as some proxies make them. */
export const joinedHeader = (value?: string) =>
  header("joined", (own) => `${own}, ${value ?? own}`);
export const longHeader = (length = 100_000) =>
  header("long", (own) => own.padEnd(length, "x").slice(0, length));
export const NON_ASCII_HEADER = header("non-ASCII", (own) => `${own}\u00e4`);
/** Node's server rightly refuses to send control characters. */
export const UNPRINTABLE_HEADER: OwnFault = {
  ...header("unprintable", (own) => `${own}\u0001`),
  send: (answer, wire) => sendAndEnd(wire, headBytes(answer), answer.body),
};
export const echoingHeader = (of?: string) =>
  header("echoing", (own, { body }) => (passwordIn(body) ?? own).replace(/[^\x20-\x7e]/g, "?"), of);

function passwordIn(body: Buffer): string | undefined {
  try {
    return JSON.parse(body.toString()).auth.identity.password.user.password;
  } catch {
    return undefined;
  }
}

// Bodies.

const body = (name: string, change: (own: Buffer, request: FaultyRequest) => Buffer): OwnFault => ({
  kind: "own",
  name,
  change: (answer, request) => withBody(answer, change(answer.body, request)),
});
const token = (name: string, change: (now: number) => Record<string, unknown>): OwnFault => ({
  kind: "own",
  name,
  change: (answer, { now }) => withToken(answer, () => change(now)),
});

export const ECHOING_BODY = body("echoing body", (_own, request) => request.body);
export const DEEP_BODY = body("deep body", () =>
  Buffer.from(`{"token":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
);
export const COMPRESSED_BODY: OwnFault = {
  kind: "own",
  name: "compressed body",
  change: (answer) => {
    const changed = withBody(answer, gzipSync(answer.body));
    return { ...changed, headers: [...changed.headers, ["Content-Encoding", "gzip"]] };
  },
};
export const WHOLE_SYSTEM = token("whole system", () => ({
  domain: undefined,
  project: undefined,
  system: { all: true },
}));
export const ENDLESS = token("endless", (now) => ({
  expires_at: new Date(now + 10 * 365 * 86_400_000).toISOString(),
}));
export const NO_EXPIRY = token("no expiry", () => ({ expires_at: undefined }));
export const WRONG_TYPES = token("wrong types", () => ({
  expires_at: { at: 1 },
  issued_at: [],
  user: 7,
}));

// Transmission.

const sending = (
  name: string,
  send: (answer: WireAnswer, wire: Wire) => Promise<void>,
): OwnFault => ({ kind: "own", name, send });

async function sendAndEnd(wire: Wire, ...parts: readonly (Buffer | string)[]): Promise<void> {
  await wire.send(Buffer.concat(parts.map((part) => Buffer.from(part))));
  wire.end("close");
}

/** Sends this many times, with an optional wait after each. */
async function repeat(wire: Wire, bytes: string, times: number, everyMs = 0): Promise<void> {
  const block = Buffer.from(bytes);
  for (let time = 0; time < times && !wire.isOver; time += 1) {
    await wire.send(block);
    if (everyMs > 0) await wire.wait(everyMs);
  }
}

/** With other lines for the body's length, or without one. */
function headOf(answer: WireAnswer, ...framing: readonly (readonly [string, string])[]): Buffer {
  const headers = answer.headers.filter(([name]) => name !== "Content-Length");
  return headBytes({ ...answer, headers: [...headers, ...framing] });
}

/** Behind the status line. */
const afterStatus = (head: Buffer) => head.indexOf("\r\n") + 2;

const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));

const PLACES = {
  "in the head": (head: Buffer) => [half(head)],
  "after the head": (head: Buffer) => [head],
  "after the body": (head: Buffer, own: Buffer) => [head, own],
};

/** A connection that breaks where the public faults do not. */
export const breakAt = (how: "reset" | "close" | "silence", place: keyof typeof PLACES) =>
  sending(`${how} ${place}`, async (answer, wire) => {
    await wire.send(Buffer.concat(PLACES[place](headBytes(answer), answer.body)));
    wire.end(how);
  });

/** An endless header in the head, or endless blanks in the body. */
export const drip = (part: "head" | "body") =>
  sending(`dripping ${part}`, async (answer, wire) => {
    const head = headOf(answer, ["Content-Length", "1000000"]);
    const start = Buffer.concat([head.subarray(0, afterStatus(head)), Buffer.from("x-drip: ")]);
    await wire.send(part === "head" ? start : head);
    await repeat(wire, part === "head" ? "a" : " ", 1_000_000, 10);
    wire.end("close");
  });

/** 100 MB of blanks, as fast as the client reads them, with a Content-Length or without. */
export const hugeBody = (told = true) =>
  sending("huge body", async (answer, wire) => {
    const [block, times] = [" ".repeat(64 * 1024), 1600];
    const length = ["Content-Length", String(times * block.length)] as const;
    await wire.send(headOf(answer, ...(told ? [length] : [])));
    await repeat(wire, block, times);
    wire.end("close");
  });

export const MANY_HEADERS = sending("many headers", async (answer, wire) => {
  const head = headBytes(answer);
  const at = afterStatus(head);
  const more = "x-a: b\r\n".repeat(100_000);
  await sendAndEnd(wire, head.subarray(0, at), more, head.subarray(at), answer.body);
});

/** Provisional answers before the final answer. */
export const informational = (status: 100 | 102 | 103, times = 1, everyMs = 0) =>
  sending(`${status} before the answer`, async (answer, wire) => {
    await repeat(wire, headBytes({ status, headers: [] }).toString(), times, everyMs);
    await sendAndEnd(wire, headBytes(answer), answer.body);
  });

/** A chunk without bytes would be the end. */
const chunk = ({ length }: Buffer, text: string) =>
  length === 0 ? "" : `${length.toString(16)}\r\n${text}\r\n`;

export const chunks = (how: "fine" | "bad size" | "cut" | "no end") =>
  sending(`chunks, ${how}`, async (answer, wire) => {
    const first = half(answer.body);
    const rest = answer.body.subarray(first.length);
    const second = chunk(rest, rest.toString("latin1"));
    const tail = {
      fine: `${second}0\r\n\r\n`,
      "bad size": "zz\r\n",
      cut: second.slice(0, second.length / 2),
      "no end": second,
    };
    const text = `${chunk(first, first.toString("latin1"))}${tail[how]}`;
    const head = headOf(answer, ["Transfer-Encoding", "chunked"]);
    await wire.send(Buffer.concat([head, Buffer.from(text, "latin1")]));
    wire.end(how === "no end" ? "silence" : "close");
  });

/** Without a length. */
export const HTTP_1_0 = sending("HTTP/1.0", async (answer, wire) => {
  const head = headOf(answer).toString("latin1").replace("HTTP/1.1", "HTTP/1.0");
  await sendAndEnd(wire, Buffer.from(head, "latin1"), answer.body);
});
export const NOT_HTTP = sending("not HTTP", (_answer, wire) =>
  sendAndEnd(wire, "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
);

/** A second answer behind the first, with a token that was never issued. */
export const EXTRA_ANSWER = sending("extra answer", async (answer, wire) => {
  const headers = [
    ["X-Subject-Token", "unasked-token"],
    ["Content-Length", "0"],
  ] as const;
  const extra = headBytes({ status: 201, headers });
  await wire.send(Buffer.concat([headBytes(answer), answer.body, extra]));
});
