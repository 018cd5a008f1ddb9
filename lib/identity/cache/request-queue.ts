import { cancelledError } from "../interpret/fault";

/** Stops the queue of one kind during a rest. */
export type HoldQueue = (rest: () => Promise<void>) => Promise<void>;

interface Queue {
  running: number;
  /** Operations that rest, and stop the others. */
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * Runs a limited number of operations of one kind at a time; the others wait in turn. An operation
 * keeps its turn while it waits between attempts. If the service has requested a wait, operations
 * that have not begun wait as well: they would get the same answer or, worse, be served in its
 * place until it has used up its attempts.
 */
export class RequestQueue {
  readonly #limit: number;
  readonly #queues = new Map<string, Queue>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * @throws ERR_CANCELLED if `signal` is aborted before its turn, or whatever `run` throws
   */
  async take<Value>(
    kind: string,
    signal: AbortSignal,
    run: (holdOthers: HoldQueue) => Promise<Value>,
  ): Promise<Value> {
    if (signal.aborted) throw cancelledError();
    const queue = this.#queues.get(kind) ?? { running: 0, held: 0, waiting: new Set() };
    this.#queues.set(kind, queue);
    await this.#enter(queue, signal);
    try {
      return await run(async (rest) => {
        queue.held++;
        try {
          await rest();
        } finally {
          queue.held--;
          // One turn later: an operation that has rested sends before those that have not begun.
          setImmediate(() => this.#move(queue));
        }
      });
    } finally {
      queue.running--;
      this.#move(queue);
    }
  }

  #enter(queue: Queue, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        queue.waiting.delete(begin);
        reject(cancelledError());
      };
      signal.addEventListener("abort", onAbort);
      queue.waiting.add(begin);
      this.#move(queue);
    });
  }

  /** Starts the operations whose turn it is. */
  #move(queue: Queue): void {
    for (const begin of queue.waiting) {
      if (queue.held > 0 || queue.running >= this.#limit) return;
      queue.waiting.delete(begin);
      queue.running++;
      begin();
    }
  }
}
