import {
  type Exchanged,
  type ExchangeRequest,
  type ExchangeTools,
  exchange,
} from "../retry/exchange";
import { Turns } from "./turns";

/** Sends requests, a limited number at a time to each service. */
export class Sender {
  readonly #turns = new Map<string, Turns>();

  constructor(private readonly tools: ExchangeTools) {}

  send(wanted: ExchangeRequest, signal: AbortSignal): Promise<Exchanged> {
    const { origin } = new URL(wanted.request.url);
    const turns = this.#turns.get(origin) ?? new Turns(this.tools.limits.connections);
    this.#turns.set(origin, turns);
    return turns.take(() => exchange(wanted, this.tools, signal));
  }
}
