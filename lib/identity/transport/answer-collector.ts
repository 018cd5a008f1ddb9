import type { Dispatcher } from "undici";
import { ConnectError } from "./connector";
import { faultOf } from "./socket-fault";
import type { Answer, BodyEnd, FaultKind, Outcome } from "./transport";

/** Limits of one attempt. */
interface CollectorOptions {
  readonly connectMs: number;
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly wantsBody: (status: number) => boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** An unwanted body is read up to this size and time, to keep the connection usable. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 250;

/**
 * Collects one answer within its limits of time and memory; exceeding a limit ends the connection
 * at once. The outcome is delivered only when the connection is free again or closed: a caller that
 * waits for it never has more connections than requests.
 */
export class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Outcome>;
  /** The caller needs nothing more. */
  readonly cancel = (): void => this.#drop({ kind: "fault", fault: "cancelled" });
  readonly #options: CollectorOptions;
  readonly #settle: (outcome: Outcome) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #over = new AbortController();
  #isConnected = false;
  #isDone = false;
  #head: Pick<Answer, "status" | "headers" | "receivedAt"> | undefined;
  #wanted = true;
  /** Space for the wanted part of the body. */
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
      if (!this.#isConnected) this.#end("connect_timeout");
    });
    this.#after(options.timeoutMs, () => this.#end("no_answer"));
    if (options.signal.aborted) this.cancel();
    else options.signal.addEventListener("abort", this.cancel, { once: true });
  }

  /** Aborted when the connection is of no further use, even if it is still being made. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  onRequestStart(): void {
    this.#isConnected = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // The final answer is still to come.
    if (status < 200) return;
    const headers = pairs(controller.rawHeaders);
    this.#head = { status, headers, receivedAt: this.#options.now() };
    this.#wanted = this.#options.wantsBody(status);
    if (!this.#wanted) this.#after(DRAIN_MS, () => this.#end("no_answer"));
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const start = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > (this.#wanted ? this.#options.bodyBytes : DRAIN_BYTES))
      this.#drop(this.#answer("too_large"));
    else if (this.#wanted) this.#keep(chunk, start);
  }

  onResponseEnd(): void {
    const outcome = this.#answer("complete");
    this.#finish();
    // undici takes the connection for free in the next turn of the event loop.
    setImmediate(() => setImmediate(this.#settle, outcome));
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const fault = error instanceof ConnectError ? error.fault : faultOf(error);
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
    if (!this.#wanted)
      return { kind: "answer", ...this.#head, body: new Uint8Array(), end: "unread" };
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
    this.#finish();
    this.#over.abort();
    this.#settle(outcome);
  }

  #finish(): void {
    this.#isDone = true;
    this.#body = Buffer.alloc(0);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal.removeEventListener("abort", this.cancel);
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
