import { RecentMap } from "./recent-map";

/**
 * Lets one request find out whether a credential is good before others of the same key are sent:
 * with a wrong password, tokens that must not be shared would else be as many failed logins, and a
 * locked user.
 */
export class FirstTries {
  readonly #accepted: RecentMap<true>;
  readonly #tries = new Map<string, Promise<unknown>>();

  constructor(limit: number) {
    this.#accepted = new RecentMap(limit);
  }

  /**
   * Runs `issue`; when another is finding out, waits for that one first and then asks `recheck`,
   * which throws when there is no point any more.
   */
  async run<Value>(
    key: string,
    signal: AbortSignal,
    recheck: () => void,
    issue: () => Promise<Value>,
  ): Promise<Value> {
    const known = this.#accepted.get(key) === true;
    const first = known ? undefined : this.#tries.get(key);
    if (first !== undefined) {
      await settled(first, signal);
      recheck();
      // One that ended neither way (the service is down) has taught nothing: waiting for the next
      // would only take longer.
    }
    const issuing = issue();
    if (!known && !this.#tries.has(key)) {
      const done = () => this.#tries.delete(key);
      this.#tries.set(key, issuing.then(done, done));
    }
    return issuing;
  }

  accept(key: string): void {
    this.#accepted.set(key, true);
  }

  reject(key: string): void {
    this.#accepted.delete(key);
  }

  clear(): void {
    this.#accepted.clear();
  }
}

/** Waits until something has ended, however it ended, or the signal is aborted. */
function settled(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
    signal.addEventListener("abort", end);
    work.then(end, end);
  });
}
