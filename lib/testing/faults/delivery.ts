import type { Socket } from "node:net";
import type { AnswerPlace, DeliveryFault } from "../config/fault";
import { headBytes, type WireAnswer } from "../identity/exchange";

/** Context for byte-by-byte transmission. */
interface Wire {
  /** The destination: with TLS, the encrypted stream. */
  readonly socket: Socket;
  /** The TCP connection below it. */
  readonly connection: Socket;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The server is stopping. */
  readonly signal: AbortSignal;
}

/** If the client leaves or the server stops, sending ends early, without an error. */
class Stage {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Resolves when the bytes have left: a later reset must not overtake them. */
  async send(...parts: readonly (Buffer | string)[]): Promise<void> {
    const bytes = Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)),
    );
    if (bytes.length === 0 || this.#isOver) return;
    await new Promise<void>((resolve) => {
      const { socket } = this.#wire;
      const done = () => {
        socket.off("close", done);
        resolve();
      };
      socket.once("close", done);
      socket.write(bytes, done);
    });
  }

  /** Sends this many times, with an optional wait after each. */
  async repeat(bytes: Buffer | string, times: number, everyMs = 0): Promise<void> {
    for (let time = 0; time < times && !this.#isOver; time += 1) {
      await this.send(bytes);
      if (everyMs > 0) await this.#wire.wait(everyMs, this.#wire.signal);
    }
  }

  end(how: "reset" | "close" | "silence" = "close"): void {
    if (this.#isOver) return;
    if (how === "reset") this.#wire.connection.resetAndDestroy();
    else if (how === "close") this.#wire.socket.end();
    // Silence: the connection stays open until the client leaves or the server stops.
  }

  get #isOver(): boolean {
    const { socket, signal } = this.#wire;
    return signal.aborted || socket.destroyed || socket.writableEnded;
  }
}

/**
 * The faults that need special bytes; the others send a normal answer, late or followed by
 * something.
 */
type RawFault = Exclude<DeliveryFault, { readonly kind: "late" | "extra_answer" }>;

/** Sends an answer under a fault, and returns the fate of the connection. */
export async function deliverFaulty(
  answer: WireAnswer,
  fault: RawFault,
  wire: Wire,
): Promise<void> {
  const stage = new Stage(wire);
  const head = headBytes(answer);
  const { body } = answer;
  switch (fault.kind) {
    case "reset":
    case "close":
    case "silence":
      await stage.send(...upTo(fault.when ?? "before_head", head, body));
      return stage.end(fault.kind);
    case "drip": {
      const { part, everyMs = 10, bytes = 1_000_000 } = fault;
      const dripping = headBytes(withLength(answer, ["Content-Length", String(bytes)]));
      if (part === "head") await stage.send(startOf(dripping), "x-drip: ");
      else await stage.send(dripping);
      await stage.repeat(part === "head" ? "a" : " ", bytes, everyMs);
      return stage.end();
    }
    case "huge_body": {
      const { bytes = 100_000_000, told = true } = fault;
      const block = Buffer.alloc(Math.min(bytes, 64 * 1024), " ");
      const times = Math.ceil(bytes / block.length);
      const length = ["Content-Length", String(times * block.length)] as const;
      await stage.send(headBytes(withLength(answer, ...(told ? [length] : []))));
      await stage.repeat(block, times);
      return stage.end();
    }
    case "many_headers": {
      const more = "x-a: b\r\n".repeat(fault.count ?? 100_000);
      await stage.send(startOf(head), more, head.subarray(startOf(head).length), body);
      return stage.end();
    }
    case "informational":
      await stage.repeat(
        headBytes({ status: fault.status, headers: [] }),
        fault.times ?? 1,
        fault.everyMs,
      );
      return deliverPlain(answer, wire);
    case "chunks": {
      await stage.send(headBytes(withLength(answer, ["Transfer-Encoding", "chunked"])));
      const half = Math.floor(body.length / 2);
      const second = chunk(body.subarray(half));
      await stage.send(chunk(body.subarray(0, half)));
      if (fault.how === "bad_size") await stage.send("zz\r\n");
      else if (fault.how === "cut") await stage.send(second.slice(0, second.length / 2));
      else await stage.send(second, fault.how === "fine" ? "0\r\n\r\n" : "");
      return stage.end(fault.how === "no_end" ? "silence" : "close");
    }
    case "http_1_0":
      await stage.send(headBytes(withLength(answer), "1.0"), body);
      return stage.end();
    case "not_http":
      await stage.send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
      return stage.end();
  }
}

/**
 * An answer that needs raw bytes: it has a header line that no HTTP server sends.
 */
export async function deliverPlain(answer: WireAnswer, wire: Wire): Promise<void> {
  const stage = new Stage(wire);
  await stage.send(headBytes(answer), answer.body);
  stage.end();
}

function upTo(place: AnswerPlace, head: Buffer, body: Buffer): readonly Buffer[] {
  switch (place) {
    case "before_head":
      return [];
    case "in_head":
      return [head.subarray(0, Math.floor(head.length / 2))];
    case "after_head":
      return [head];
    case "in_body":
      return [head, body.subarray(0, Math.floor(body.length / 2))];
    case "after_body":
      return [head, body];
  }
}

/** With another line for the body's length, or without one. */
function withLength(
  answer: WireAnswer,
  ...framing: readonly WireAnswer["headers"][number][]
): WireAnswer {
  const headers = answer.headers.filter(([name]) => name !== "Content-Length");
  return { ...answer, headers: [...headers, ...framing] };
}

/** A chunk without bytes would be the end. */
function chunk(bytes: Buffer): string {
  const { length } = bytes;
  return length === 0 ? "" : `${length.toString(16)}\r\n${bytes.toString("latin1")}\r\n`;
}

/** The status line. */
function startOf(head: Buffer): Buffer {
  return head.subarray(0, head.indexOf("\r\n") + 2);
}
