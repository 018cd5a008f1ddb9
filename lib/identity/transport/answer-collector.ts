import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { faultIn, faultOf } from "./socket-fault";
import type { Answer, BodyEnd, Fault, FaultKind, Outcome, SendOptions } from "./transport";

/** Limits of one attempt. */
interface CollectorOptions extends Omit<SendOptions, "tls"> {
  readonly connectMs: number;
  readonly bodyBytes: number;
  readonly bodyOf: readonly number[];
  readonly now: () => number;
}

/**
 * Collects one answer within its limits of time and memory; exceeding a limit ends the connection
 * at once.
 */
export class AnswerCollector implements Dispatcher.DispatchHandler {
  #settle: (outcome: Outcome) => void = () => {};
  readonly outcome = new Promise<Outcome>((resolve) => {
    this.#settle = resolve;
  });
  /** The caller needs nothing more. */
  readonly #cancel = (): void => this.#drop(faultBy("cancelled"));
  /** Aborted when no connection is needed any more. */
  readonly over = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];
  #socket: Socket | undefined;
  #isSending = false;
  #head: Pick<Answer, "status" | "headers" | "receivedAt"> | undefined;
  /** Space for the body. */
  #body = Buffer.alloc(0);
  #bytes = 0;

  constructor(private readonly options: CollectorOptions) {
    const { connectMs, timeoutMs, signal } = options;
    this.#timers = [
      setTimeout(() => this.#isSending || this.fail(faultBy("connect_timeout")), connectMs),
      setTimeout(() => this.#end("too_slow", this.#silence()), timeoutMs),
    ];
    if (signal.aborted) this.#cancel();
    else signal.addEventListener("abort", this.#cancel, { once: true });
  }

  /** Without a connection, nothing was sent that could be answered. */
  #silence(): Fault {
    return faultBy(this.#isSending ? "no_answer" : "connect_timeout");
  }

  /** Takes over the connection of the request; false if nothing is to be sent any more. */
  takes(socket: Socket): boolean {
    if (this.over.signal.aborted) socket.destroy();
    else this.#socket = socket;
    return !this.over.signal.aborted;
  }

  onRequestStart(): void {
    this.#isSending = true;
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number): void {
    // The final answer is still to come.
    if (status < 200) return;
    this.#head = { status, headers: pairs(rawHeaders), receivedAt: this.options.now() };
    if (!this.options.bodyOf.includes(status)) this.#end("unread");
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const start = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#bytes > this.options.bodyBytes) this.#end("too_large");
    else this.#keep(chunk, start);
  }

  onResponseEnd(): void {
    this.#end("complete");
  }

  onResponseError(_controller: unknown, error: unknown): void {
    const socket = this.#isSending ? this.#socket : undefined;
    this.fail(socket === undefined ? faultOf(error) : faultIn(socket, error));
  }

  /** There is a fault, or the head of an answer whose body is cut. */
  fail(why: Fault): void {
    this.#end("cut", why);
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

  /** The received part is the answer, if there is any. */
  #end(end: BodyEnd, otherwise: Fault = faultBy("connection")): void {
    const body = end === "complete" ? this.#body.subarray(0, this.#bytes) : new Uint8Array();
    this.#drop(this.#head === undefined ? otherwise : { kind: "answer", ...this.#head, body, end });
  }

  #drop(outcome: Outcome): void {
    if (this.over.signal.aborted) return;
    this.#body = Buffer.alloc(0);
    for (const timer of this.#timers) clearTimeout(timer);
    this.options.signal.removeEventListener("abort", this.#cancel);
    this.over.abort();
    this.#socket?.destroy();
    this.#settle(outcome);
  }
}

const faultBy = (fault: FaultKind): Fault => ({ kind: "fault", fault });

/** Header names and values, one character per byte. Blanks after a value are not part of it. */
function pairs(raw: Dispatcher.DispatchController["rawHeaders"]): [string, string][] {
  const parts = Array.isArray(raw) ? raw : [];
  const text = (index: number) => Buffer.from(parts[index] ?? "").toString("latin1");
  return Array.from({ length: parts.length >> 1 }, (_, pair) => [
    text(2 * pair),
    text(2 * pair + 1).replace(/(?<![ \t])[ \t]+$/, ""),
  ]);
}
