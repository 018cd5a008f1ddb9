import { RecentMap } from "./recent-map";

/**
 * Lets one request test a credential before others with the same key are sent. Otherwise, with a
 * wrong password, tokens that must not be shared would cause as many failed logins, and a locked
 * user.
 */
export class FirstTries {
  readonly #accepted: RecentMap<true>;
  readonly #tries = new Map<string, Promise<unknown>>();

  constructor(limit: number) {
    this.#accepted = new RecentMap(limit);
  }

  /**
   * Runs `issue`. If another call is testing the credential, waits for it first and then calls
   * `recheck`, which throws if there is no point in trying.
   */
  async run<Value>(
    key: string,
    signal: AbortSignal,
    recheck: () => void,
    issue: () => Promise<Value>,
  ): Promise<Value> {
    const known = this.wasAccepted(key);
    const first = known ? undefined : this.#tries.get(key);
    if (first !== undefined) {
      await settled(first, signal);
      recheck();
      // A test without a verdict (the service is down) taught nothing: waiting for the next one
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

  wasAccepted(key: string): boolean {
    return this.#accepted.get(key) === true;
  }

  reject(key: string): void {
    this.#accepted.delete(key);
  }
}

/** Waits for the end of the work, successful or not, or until the signal is aborted. */
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
