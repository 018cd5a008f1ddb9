import { formatDuration, IamTokensError } from "../../tokens";
import { RecentMap } from "./recent-map";

interface Rejection {
  readonly problem: string;
  readonly at: number;
}

/**
 * Remembers 401s: a hundred references with a wrong password must cause one request instead of a
 * locked user.
 */
export class Rejections {
  readonly #known: RecentMap<Rejection>;
  readonly #memoryMs: number;
  readonly #now: () => number;

  constructor(limit: number, memoryMs: number, now: () => number) {
    this.#known = new RecentMap(limit);
    this.#memoryMs = memoryMs;
    this.#now = now;
  }

  /** Records an error if it is a rejection, and returns whether it is. */
  note(key: string, error: unknown): boolean {
    if (!IamTokensError.is(error) || error.code !== "ERR_CREDENTIALS_REJECTED") return false;
    this.#known.set(key, { problem: error.problem, at: this.#now() });
    return true;
  }

  /** @throws ERR_CREDENTIALS_REJECTED if the key was rejected a short time ago */
  assertNone(key: string): void {
    const rejection = this.#known.get(key);
    if (rejection === undefined) return;
    const age = this.#now() - rejection.at;
    if (age < 0 || age >= this.#memoryMs) {
      this.#known.delete(key);
      return;
    }
    throw new IamTokensError(
      "ERR_CREDENTIALS_REJECTED",
      `${rejection.problem}That answer is ${formatDuration(age)} old and is kept for ${formatDuration(this.#memoryMs)}; no new request was sent.`,
    );
  }

  clear(): void {
    this.#known.clear();
  }
}
