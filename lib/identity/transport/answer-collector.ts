import type { Dispatcher } from "undici";
import { ConnectError } from "./connector";
import { faultOf } from "./socket-fault";
import type { Answer, BodyEnd, Fault, Outcome } from "./transport";

/** Bounds of one try. */
export interface CollectorOptions {
  readonly connectMs: number;
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly wantsBody: (status: number) => boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** What is left of an unwanted body is read so far and so long, so that the connection can be used again. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

/** Gathers one answer within its bounds of time and memory; what is over a bound ends the connection at once. */
export class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Outcome>;
  readonly #options: CollectorOptions;
  readonly #settle: (outcome: Outcome) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<Answer, "status" | "headers" | "receivedAt"> | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #settled = false;
  /** Nothing more is wanted of the connection. */
  #dropped = false;
  #drain: NodeJS.Timeout | undefined;
  readonly #cancel = () => this.#drop({ kind: "fault", fault: "cancelled" });

  constructor(options: CollectorOptions) {
    this.#options = options;
    let settle: (outcome: Outcome) => void = () => {};
    this.outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
    this.#after(options.connectMs, () => this.#controller === undefined, "connect_timeout");
    this.#after(options.timeoutMs, () => true, "no_answer");
    if (options.signal.aborted) this.#cancel();
    else options.signal.addEventListener("abort", this.#cancel, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#dropped) controller.abort(new Error("dropped"));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    // 1xx: the answer proper is still to come.
    if (status < 200 || this.#settled) return;
    this.#head = { status, headers: pairs(controller.rawHeaders), receivedAt: this.#options.now() };
    if (this.#options.wantsBody(status)) return;
    this.#finish(this.#answer("unread"));
    this.#drain = setTimeout(() => this.#drop(), DRAIN_MS).unref();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#settled) {
      if (this.#bytes > DRAIN_BYTES) this.#drop();
    } else if (this.#bytes > this.#options.bodyBytes) {
      this.#drop(this.#answer("too_large"));
    } else {
      this.#chunks.push(chunk);
    }
  }

  onResponseEnd(): void {
    clearTimeout(this.#drain);
    this.#finish(this.#answer("complete"));
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    clearTimeout(this.#drain);
    const fault = error instanceof ConnectError ? error.fault : faultOf(error);
    this.#finish(this.#head === undefined ? fault : this.#answer("cut"));
  }

  #answer(end: BodyEnd): Outcome {
    const body = end === "complete" ? Buffer.concat(this.#chunks) : new Uint8Array();
    if (this.#head === undefined) return { kind: "fault", fault: "connection" };
    return { kind: "answer", ...this.#head, body, end };
  }

  #after(milliseconds: number, applies: () => boolean, fault: Fault["fault"]): void {
    const onTime = () => {
      if (applies()) this.#drop(this.#head === undefined ? { kind: "fault", fault } : this.#answer("too_slow"));
    };
    this.#timers.push(setTimeout(onTime, milliseconds));
  }

  #drop(outcome?: Outcome): void {
    if (outcome !== undefined) this.#finish(outcome);
    this.#dropped = true;
    clearTimeout(this.#drain);
    this.#controller?.abort(new Error("dropped"));
  }

  #finish(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#chunks = [];
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal.removeEventListener("abort", this.#cancel);
    this.#settle(outcome);
  }
}

/** Header names and values as they came. Bytes are read one by one, so that none is lost before it is judged. */
function pairs(raw: Dispatcher.DispatchController["rawHeaders"]): [string, string][] {
  const flat = Array.isArray(raw) ? raw.map((part) => (typeof part === "string" ? part : part.toString("latin1"))) : [];
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) found.push([flat[index] ?? "", flat[index + 1] ?? ""]);
  return found;
}
