import type { ServedProvider } from "../server/connection";

interface WarmUpOptions {
  /** Loads the provider. */
  load(): Promise<ServedProvider>;
  /** Whether nobody waits for this process. */
  isPause(): boolean;
  /** Runs work at the end of this turn of the event loop; a failure only costs time later. */
  later(work: () => unknown): void;
}

/**
 * Work that later launches would otherwise have to do first, one piece after the other in pauses
 * between launches: the event loop turns in between, and a launch comes first.
 *
 * Pauses last from six milliseconds on, the longer the larger the configuration is; but in the
 * first one, nothing is known of it yet, and the provider is all that fits.
 */
export class WarmUp {
  #pieces: (() => unknown)[] | undefined;

  constructor(private readonly options: WarmUpOptions) {}

  /** To be called when a pause may begin. */
  pause(): void {
    this.options.later(() => this.#next());
  }

  async #next(): Promise<void> {
    const { load, isPause } = this.options;
    if (!isPause()) return;
    if (this.#pieces === undefined) {
      this.#pieces = [];
      // The first launch needs only the schema.
      this.#pieces.push(...((await load()).warmUp ?? []));
      return;
    }
    const piece = this.#pieces.shift();
    if (piece === undefined) return;
    try {
      await piece();
    } finally {
      this.pause();
    }
  }
}
