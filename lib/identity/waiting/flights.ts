import { cancelledError } from "../../tokens";
import { untilAborted } from "./until-aborted";

interface Flight<Value> {
  readonly landed: Promise<Value>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * One operation at a time per key: callers during the operation share it. It is aborted only when
 * nobody waits for it any more; a waiter's abort ends only that waiter's wait.
 */
export class Flights<Value> {
  readonly #flights = new Map<string, Flight<Value>>();

  /** @throws ERR_CANCELLED when `signal` is aborted, or whatever `start` throws */
  async join(
    key: string,
    start: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    if (signal.aborted) throw cancelledError();
    const flight = this.#flights.get(key) ?? this.#begin(key, start);
    flight.waiters += 1;
    try {
      return await untilAborted(flight.landed, signal);
    } finally {
      flight.waiters -= 1;
      if (flight.waiters === 0) this.#abandon(key, flight);
    }
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<Value>): Flight<Value> {
    const controller = new AbortController();
    const landed = start(controller.signal).finally(() => this.#forget(key, flight));
    // An abandoned flight has no caller for its error.
    landed.catch(() => {});
    const flight: Flight<Value> = { landed, controller, waiters: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  /** Removed from the map at once: a new caller must not join a flight that is being aborted. */
  #abandon(key: string, flight: Flight<Value>): void {
    this.#forget(key, flight);
    flight.controller.abort();
  }

  #forget(key: string, flight: Flight<Value>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
