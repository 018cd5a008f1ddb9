import { cancelledError } from "../interpret/fault";

/**
 * Lets a bounded number of operations of one kind run at a time; the others wait in turn. An operation keeps its turn while it
 * waits between tries, so that a service that asks for patience is not met by the next in the queue.
 */
export class Turns {
  readonly #limit: number;
  readonly #running = new Map<string, number>();
  readonly #queues = new Map<string, Set<() => void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws ERR_CANCELLED when `signal` is aborted before its turn comes, or whatever `run` throws */
  async take<Value>(kind: string, signal: AbortSignal, run: () => Promise<Value>): Promise<Value> {
    await this.#enter(kind, signal);
    try {
      return await run();
    } finally {
      this.#leave(kind);
    }
  }

  #enter(kind: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(cancelledError());
    const running = this.#running.get(kind) ?? 0;
    if (running < this.#limit) {
      this.#running.set(kind, running + 1);
      return Promise.resolve();
    }
    const queue = this.#queues.get(kind) ?? new Set();
    this.#queues.set(kind, queue);
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        queue.delete(begin);
        reject(cancelledError());
      };
      signal.addEventListener("abort", onAbort, { once: true });
      queue.add(begin);
    });
  }

  #leave(kind: string): void {
    const queue = this.#queues.get(kind);
    const [next] = queue ?? [];
    if (queue !== undefined && next !== undefined) {
      // The turn is handed on: the number of running ones stays.
      queue.delete(next);
      if (queue.size === 0) this.#queues.delete(kind);
      next();
      return;
    }
    const running = (this.#running.get(kind) ?? 1) - 1;
    if (running === 0) this.#running.delete(kind);
    else this.#running.set(kind, running);
  }
}
