import { untilAborted } from "./until-aborted";

/** Runs a limited number of operations at a time; the others wait in turn. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** @throws ERR_CANCELLED when `signal` is aborted before its turn, or what `run` throws */
  async take<Value>(run: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    if (this.free > 0) this.free--;
    else await this.#turn(signal);
    try {
      return await run();
    } finally {
      // Whoever had it reads the answer first: it may refuse what waits.
      setImmediate(() => this.#pass());
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    let begin = () => {};
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
      this.#waiting.push(begin);
    });
    try {
      await untilAborted(turn, signal);
    } catch (error) {
      const place = this.#waiting.indexOf(begin);
      // The turn may have come at the same moment.
      if (place === -1) this.#pass();
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }
}
