import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { faultIn, faultOf } from "./socket-fault";
import type { Answer, BodyEnd, Fault, FaultKind, Outcome, SendOptions } from "./transport";

/** Limits of one attempt. */
interface CollectorOptions {
  readonly connectMs: number;
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly wantsBody: SendOptions["wantsBody"];
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * Collects one answer within its limits of time and memory; exceeding a limit ends the connection
 * at once.
 */
export class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Outcome>;
  /** The caller needs nothing more. */
  readonly cancel = (): void => this.#drop({ kind: "fault", fault: "cancelled" });
  readonly #options: CollectorOptions;
  readonly #settle: (outcome: Outcome) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #over = new AbortController();
  #socket: Socket | undefined;
  #isSending = false;
  #isDone = false;
  #head: Pick<Answer, "status" | "headers" | "receivedAt"> | undefined;
  /** Space for the body. */
  #body = Buffer.alloc(0);
  #bytes = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    let settle: (outcome: Outcome) => void = () => {};
    this.outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
    this.#after(options.connectMs, () => {
      if (!this.#isSending) this.#end("connect_timeout");
    });
    this.#after(options.timeoutMs, () => this.#end("no_answer"));
    if (options.signal.aborted) this.cancel();
    else options.signal.addEventListener("abort", this.cancel, { once: true });
  }

  /** Aborted when no connection is needed any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Takes over the connection of the request; false if nothing is to be sent any more. */
  takes(socket: Socket): boolean {
    if (this.#isDone) socket.destroy();
    else this.#socket = socket;
    return !this.#isDone;
  }

  onRequestStart(): void {
    this.#isSending = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // The final answer is still to come.
    if (status < 200) return;
    const headers = pairs(controller.rawHeaders);
    this.#head = { status, headers, receivedAt: this.#options.now() };
    if (!this.#options.wantsBody(status)) this.#drop(this.#answer("unread"));
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const start = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.bodyBytes) this.#drop(this.#answer("too_large"));
    else this.#keep(chunk, start);
  }

  onResponseEnd(): void {
    this.#drop(this.#answer("complete"));
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const socket = this.#isSending ? this.#socket : undefined;
    this.fail(socket === undefined ? faultOf(error) : faultIn(socket, error));
  }

  /** The received part is the answer, if there is any. */
  fail(fault: Fault): void {
    this.#drop(this.#head === undefined ? fault : this.#answer("cut"));
  }

  /** Copies: a chunk may have a single byte, and would need hundreds as a separate object. */
  #keep(chunk: Buffer, start: number): void {
    if (this.#bytes > this.#body.length) {
      const larger = Buffer.alloc(Math.max(this.#bytes, 2 * this.#body.length));
      this.#body.copy(larger);
      this.#body = larger;
    }
    chunk.copy(this.#body, start);
  }

  #answer(end: BodyEnd): Outcome {
    if (this.#head === undefined) return { kind: "fault", fault: "connection" };
    const body = end === "complete" ? this.#body.subarray(0, this.#bytes) : new Uint8Array();
    return { kind: "answer", ...this.#head, body, end };
  }

  #after(milliseconds: number, act: () => void): void {
    this.#timers.push(setTimeout(act, milliseconds));
  }

  /** The received part is the answer, if there is any. */
  #end(fault: FaultKind): void {
    this.#drop(this.#head === undefined ? { kind: "fault", fault } : this.#answer("too_slow"));
  }

  #drop(outcome: Outcome): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#body = Buffer.alloc(0);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal.removeEventListener("abort", this.cancel);
    this.#over.abort();
    this.#socket?.destroy();
    this.#settle(outcome);
  }
}

/** Header names and values, one character per byte. Blanks after a value are not part of it. */
function pairs(raw: Dispatcher.DispatchController["rawHeaders"]): [string, string][] {
  const parts = Array.isArray(raw) ? raw : [];
  const text = (index: number) => Buffer.from(parts[index] ?? "").toString("latin1");
  return Array.from({ length: parts.length >> 1 }, (_, pair) => [
    text(2 * pair),
    text(2 * pair + 1).replace(/(?<![ \t])[ \t]+$/, ""),
  ]);
}
