import type { ClientRequest, IncomingMessage } from "node:http";
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

/** An unwanted body is read so far and so long, so that the connection can be used again. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 250;

/**
 * Gathers one answer within its bounds of time and memory; what is over a bound ends the connection
 * at once. The outcome comes when the connection is free again or ended, and not before: who waits
 * for it has no more connections than requests.
 */
export class AnswerCollector {
  readonly outcome: Promise<Outcome>;
  /** Nothing more is wanted. */
  readonly cancel = (): void => this.#drop({ kind: "fault", fault: "cancelled" });
  readonly #options: CollectorOptions;
  readonly #settle: (outcome: Outcome) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #over = new AbortController();
  #request: ClientRequest | undefined;
  #connected = false;
  #head: Pick<Answer, "status" | "headers" | "receivedAt"> | undefined;
  #wanted = true;
  /** Room for what is wanted of the body. */
  #body = Buffer.alloc(0);
  #bytes = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    let settle: (outcome: Outcome) => void = () => {};
    this.outcome = new Promise((resolve) => {
      settle = resolve;
    });
    this.#settle = settle;
    this.#after(options.connectMs, () => !this.#connected, "connect_timeout");
    this.#after(options.timeoutMs, () => true, "no_answer");
    if (options.signal.aborted) this.cancel();
    else options.signal.addEventListener("abort", this.cancel, { once: true });
  }

  /** Aborted with the outcome: a connection that is still being made for it is of no use then. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Takes the answer to a request that is about to be sent. */
  follow(request: ClientRequest): void {
    this.#request = request;
    request.once("socket", () => {
      this.#connected = true;
    });
    request.once("response", (response) => this.#receive(response));
    // A 100 or 101 that nobody asked for. It is an answer, behind which a token may have been
    // issued already, and no fault of the connection: asked again, the service would say the same.
    // Other 1xx: the answer proper is still to come.
    for (const event of ["continue", "upgrade"])
      request.once(event, () => this.#drop({ kind: "fault", fault: "malformed" }));
    request.on("error", (error) => this.fail(error));
    // Also when the body is cut off.
    request.once("close", () => this.fail(undefined));
    if (this.over.aborted) request.destroy();
  }

  /** Nothing more will come. */
  fail(error: unknown): void {
    const fault = error instanceof ConnectError ? error.fault : faultOf(error);
    this.#drop(this.#head === undefined ? fault : this.#answer("cut"));
  }

  #receive(response: IncomingMessage): void {
    const status = response.statusCode ?? 0;
    this.#head = { status, headers: pairs(response.rawHeaders), receivedAt: this.#options.now() };
    this.#wanted = this.#options.wantsBody(status);
    if (!this.#wanted) this.#after(DRAIN_MS, () => true, "no_answer");
    response.on("data", (chunk: Buffer) => this.#take(chunk));
    response.once("end", () => this.#finish(this.#answer("complete")));
  }

  #take(chunk: Buffer): void {
    const start = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > (this.#wanted ? this.#options.bodyBytes : DRAIN_BYTES))
      this.#drop(this.#answer("too_large"));
    else if (this.#wanted) this.#keep(chunk, start);
  }

  /** Copies: a chunk may have a single byte, and as an object of its own would take hundreds. */
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

  #after(milliseconds: number, applies: () => boolean, fault: Fault["fault"]): void {
    const onTime = () => {
      if (applies())
        this.#drop(this.#head === undefined ? { kind: "fault", fault } : this.#answer("too_slow"));
    };
    this.#timers.push(setTimeout(onTime, milliseconds));
  }

  #drop(outcome: Outcome): void {
    this.#finish(outcome);
    this.#request?.destroy();
  }

  #finish(outcome: Outcome): void {
    if (this.over.aborted) return;
    this.#over.abort();
    this.#body = Buffer.alloc(0);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#options.signal.removeEventListener("abort", this.cancel);
    this.#settle(outcome);
  }
}

/** Header names and values as they came, a character for each byte. */
function pairs(raw: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    found.push([raw[index] ?? "", raw[index + 1] ?? ""]);
  return found;
}
