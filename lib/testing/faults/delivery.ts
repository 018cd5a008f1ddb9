import { headBytes, type WireAnswer } from "../identity/wire-answer";
import type { AnswerPlace, BreakFault, ChunksFault, DeliveryFault, DripFault } from "./fault";

/** One step of an answer that is sent byte by byte. */
export type Step =
  | { readonly do: "send"; readonly bytes: Buffer }
  /** So many times; with a wait after each, when there is one. */
  | {
      readonly do: "repeat";
      readonly bytes: Buffer;
      readonly times: number;
      readonly everyMs: number;
    }
  | { readonly do: "reset" | "close" | "silence" };

const send = (...parts: readonly (Buffer | string)[]): Step => ({
  do: "send",
  bytes: Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)),
  ),
});
const CLOSE: Step = { do: "close" };
const SILENCE: Step = { do: "silence" };

/**
 * The faults that need bytes of their own; the others send a usual answer, late or with something
 * behind it.
 */
export type RawFault = Exclude<DeliveryFault, { readonly kind: "late" | "extra_answer" }>;

/**
 * The steps in which an answer is sent under a fault. Pure. The last one says what becomes of the
 * connection.
 */
export function stepsOf(answer: WireAnswer, fault: RawFault): readonly Step[] {
  const head = headBytes(answer);
  switch (fault.kind) {
    case "reset":
    case "close":
    case "silence":
      return [
        ...upTo(fault.when ?? "before_head", head, answer.body),
        { do: fault.kind } satisfies BreakStep,
      ];
    case "drip":
      return drip(answer, fault);
    case "huge_body": {
      const { bytes = 100_000_000, told = true } = fault;
      const block = Buffer.alloc(Math.min(bytes, 64 * 1024), " ");
      const times = Math.ceil(bytes / block.length);
      const length = told ? [["Content-Length", String(times * block.length)] as const] : [];
      return [
        send(headBytes(withLength(answer, length))),
        { do: "repeat", bytes: block, times, everyMs: 0 },
        CLOSE,
      ];
    }
    case "many_headers":
      return [
        send(startOf(head), "x-a: b\r\n".repeat(fault.count ?? 100_000), restOf(head), answer.body),
        CLOSE,
      ];
    case "informational": {
      const bytes = headBytes({ status: fault.status, headers: [] });
      return [
        { do: "repeat", bytes, times: fault.times ?? 1, everyMs: fault.everyMs ?? 0 },
        send(head, answer.body),
        CLOSE,
      ];
    }
    case "chunks":
      return chunks(answer, fault);
    case "http_1_0":
      return [send(headBytes(withLength(answer, []), "1.0"), answer.body), CLOSE];
    case "not_http":
      return [send("SSH-2.0-OpenSSH_9.2\r\n\r\n"), CLOSE];
  }
}

type BreakStep = { readonly do: BreakFault["kind"] };

/**
 * An answer that only HTTP itself would send otherwise: a header line that no HTTP server sends.
 */
export function plainSteps(answer: WireAnswer): readonly Step[] {
  return [send(headBytes(answer), answer.body), CLOSE];
}

function upTo(place: AnswerPlace, head: Buffer, body: Buffer): readonly Step[] {
  switch (place) {
    case "before_head":
      return [];
    case "in_head":
      return [send(head.subarray(0, Math.floor(head.length / 2)))];
    case "after_head":
      return [send(head)];
    case "in_body":
      return [send(head, body.subarray(0, Math.floor(body.length / 2)))];
    case "after_body":
      return [send(head, body)];
  }
}

function drip(
  answer: WireAnswer,
  { part, everyMs = 10, bytes = 1_000_000 }: DripFault,
): readonly Step[] {
  const head = headBytes(withLength(answer, [["Content-Length", String(bytes)]]));
  const drops = (byte: string): Step => ({
    do: "repeat",
    bytes: Buffer.from(byte),
    times: bytes,
    everyMs,
  });
  return part === "head"
    ? [send(startOf(head), "x-drip: "), drops("a"), CLOSE]
    : [send(head), drops(" "), CLOSE];
}

function chunks(answer: WireAnswer, { how }: ChunksFault): readonly Step[] {
  const head = headBytes(withLength(answer, [["Transfer-Encoding", "chunked"]]));
  const half = Math.floor(answer.body.length / 2);
  const chunk = (bytes: Buffer) =>
    bytes.length === 0
      ? Buffer.alloc(0)
      : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF]);
  const first = chunk(answer.body.subarray(0, half));
  const second = chunk(answer.body.subarray(half));
  switch (how) {
    case "fine":
      return [send(head, first, second, "0\r\n\r\n"), CLOSE];
    case "bad_size":
      return [send(head, first, "zz\r\n"), CLOSE];
    case "cut":
      return [send(head, first, second.subarray(0, Math.floor(second.length / 2))), CLOSE];
    case "no_end":
      return [send(head, first, second), SILENCE];
  }
}

const CRLF = Buffer.from("\r\n");

function withLength(answer: WireAnswer, framing: WireAnswer["headers"]): WireAnswer {
  return {
    ...answer,
    headers: [...answer.headers.filter(([name]) => name !== "Content-Length"), ...framing],
  };
}

/** The status line. */
function startOf(head: Buffer): Buffer {
  return head.subarray(0, head.indexOf(CRLF) + 2);
}

/** The header lines, and the empty one. */
function restOf(head: Buffer): Buffer {
  return head.subarray(head.indexOf(CRLF) + 2);
}
