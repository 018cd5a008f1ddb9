import { RequestQueue } from "../cache/request-queue";
import {
  type Exchanged,
  type ExchangeRequest,
  type ExchangeTools,
  exchange,
} from "../retry/exchange";

/** Sends requests, a limited number at a time to each service. */
export class Sender {
  readonly #turns: RequestQueue;

  constructor(private readonly tools: ExchangeTools) {
    this.#turns = new RequestQueue(tools.limits.connections);
  }

  send(wanted: ExchangeRequest, signal: AbortSignal): Promise<Exchanged> {
    return this.#turns.take(new URL(wanted.request.url).origin, signal, (holdOthers) =>
      exchange(wanted, this.tools, signal, holdOthers),
    );
  }
}
