import { cancelledError } from "../interpret/fault";

/** Keeps the queue of a kind from moving while it rests. */
export type HoldOthers = (rest: () => Promise<void>) => Promise<void>;

interface Queue {
  running: number;
  /** Operations that rest, and hold the others. */
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets a bounded number of operations of one kind run at a time; the others wait in turn. An
 * operation keeps its turn while it waits between tries. One that the service has asked for
 * patience holds those that have not begun, too: they would be told the same, or, worse, be served
 * in its place until its tries are used up.
 */
export class Turns {
  readonly #limit: number;
  readonly #queues = new Map<string, Queue>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * @throws ERR_CANCELLED when `signal` is aborted before its turn comes, or whatever `run` throws
   */
  async take<Value>(
    kind: string,
    signal: AbortSignal,
    run: (holdOthers: HoldOthers) => Promise<Value>,
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
          // A moment later, so that whoever has rested asks before those who have not asked yet.
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

  /** Lets begin whose turn has come. */
  #move(queue: Queue): void {
    for (const begin of queue.waiting) {
      if (queue.held > 0 || queue.running >= this.#limit) return;
      queue.waiting.delete(begin);
      queue.running++;
      begin();
    }
  }
}
