import { defined, formatDuration, IamTokensError } from "../../tokens";
import { RecentMap } from "./recent-map";

interface Rejection {
  readonly error: IamTokensError;
  readonly at: number;
}

/**
 * Remembers refused credentials: a hundred references with a wrong password must cause one request
 * instead of a locked user.
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

  note(key: string, error: IamTokensError): void {
    this.#known.set(key, { error, at: this.#now() });
  }

  /** @throws the error of the refusal if the key was rejected a short time ago */
  assertNone(key: string): void {
    const rejection = this.#known.get(key);
    if (rejection === undefined) return;
    const age = this.#now() - rejection.at;
    if (age < 0 || age >= this.#memoryMs) {
      this.#known.delete(key);
      return;
    }
    const { code, problem, headline, remedy } = rejection.error;
    const gap = problem.endsWith("\n") ? "" : " ";
    throw new IamTokensError(
      code,
      `${problem}${gap}That answer is ${formatDuration(age)} old and is kept for ${formatDuration(this.#memoryMs)}; no new request was sent.`,
      defined({ headline, remedy }),
    );
  }

  clear(): void {
    this.#known.clear();
  }
}
