import { formatDuration, IamTokensError } from "../../tokens";
import { RecentMap } from "./recent-map";

interface Rejection {
  readonly problem: string;
  readonly at: number;
}

/**
 * Remembers 401s: a hundred references with a wrong password must be one request, and not a locked
 * user.
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

  /** Takes note of an error when it is a rejection, and says whether it is. */
  note(key: string, error: unknown): boolean {
    if (!IamTokensError.is(error) || error.code !== "ERR_CREDENTIALS_REJECTED") return false;
    this.#known.set(key, { problem: error.problem, at: this.#now() });
    return true;
  }

  /** @throws ERR_CREDENTIALS_REJECTED when the key was rejected a short time ago */
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
      `${rejection.problem}That answer is ${formatDuration(age)} old; it is remembered for ${formatDuration(this.#memoryMs)}, and the service was not asked again.`,
    );
  }

  clear(): void {
    this.#known.clear();
  }
}
