import type { WireRequest } from "../transport/transport";
import { Turns } from "../waiting/turns";
import { type ExchangeTools, exchange, type Sending, type TriedExchange } from "./exchange";

/** Sends requests, a limited number at a time to each service, until it is closed. */
export class Sender {
  /** By the origin of a service. */
  readonly #turns = new Map<string, Turns>();
  /**
   * The requests in progress. A set instead of listeners of one signal: there may be a thousand.
   */
  readonly #underWay = new Set<AbortController>();
  #isClosed = false;

  constructor(readonly tools: ExchangeTools) {}

  /** Its outcome is `cancelled` when the signal is aborted or this is closed. */
  send(request: WireRequest, how: Sending, signal: AbortSignal): Promise<TriedExchange> {
    const { origin } = new URL(request.url);
    const turns = this.#turns.get(origin) ?? new Turns(this.tools.limits.connections);
    this.#turns.set(origin, turns);
    return this.untilClosed(signal, (linked) =>
      turns.take(() => exchange(request, how, this.tools, linked), linked),
    );
  }

  /** Runs work with a signal that is aborted by the caller's and by {@link close}. */
  async untilClosed<Value>(
    signal: AbortSignal,
    work: (linked: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort);
    this.#underWay.add(controller);
    if (signal.aborted || this.#isClosed) abort();
    try {
      return await work(controller.signal);
    } finally {
      this.#underWay.delete(controller);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Cancels what is in progress, and all that comes. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#underWay) controller.abort();
  }
}
