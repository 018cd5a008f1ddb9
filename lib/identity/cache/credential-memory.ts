import { randomBytes } from "node:crypto";
import { defined, formatDuration, IamTokensError } from "../../tokens";
import type { Limits } from "../limits";
import { FirstTries } from "./first-tries";
import { RecentMap } from "./recent-map";

const REFUSALS: readonly string[] = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_SECOND_FACTOR_REQUIRED",
  "ERR_IDENTITY_TOKEN_UNAVAILABLE",
];

/** What a client remembers of credentials, in memory: no token, and no secret. */
export class CredentialMemory {
  /** For digests of secrets, which mean nothing outside this client. */
  readonly processKey = randomBytes(32);
  /** A hundred references with a wrong password must cause one request, not a locked user. */
  readonly #rejections: RecentMap<{ readonly error: IamTokensError; readonly at: number }>;
  readonly firstTries: FirstTries;

  constructor(
    private readonly limits: Limits,
    private readonly now: () => number,
  ) {
    this.#rejections = new RecentMap(limits.cacheEntries);
    this.firstTries = new FirstTries(limits.cacheEntries);
  }

  /** @throws the error of a refusal a short time ago */
  assertNotRejected(key: string): void {
    const rejection = this.#rejections.get(key);
    if (rejection === undefined) return;
    const { rejectionMemoryMs } = this.limits;
    const age = this.now() - rejection.at;
    if (age < 0 || age >= rejectionMemoryMs) {
      this.#rejections.delete(key);
      return;
    }
    const { code, problem, headline, remedy } = rejection.error;
    const gap = problem.endsWith("\n") ? "" : " ";
    throw new IamTokensError(
      code,
      `${problem}${gap}That answer is ${formatDuration(age)} old and is kept for ${formatDuration(rejectionMemoryMs)}; no new request was sent.`,
      defined({ headline, remedy }),
    );
  }

  /** Runs `issue`, after another call that is testing the same credential. */
  run<Value>(key: string, signal: AbortSignal, issue: () => Promise<Value>): Promise<Value> {
    return this.firstTries.run(key, signal, () => this.assertNotRejected(key), issue);
  }

  /** Interprets an answer to a credential, and remembers whether it was accepted or refused. */
  judge<Value>(key: string, interpret: () => Value): Value {
    try {
      const value = interpret();
      this.firstTries.accept(key);
      return value;
    } catch (error) {
      if (IamTokensError.is(error) && REFUSALS.includes(error.code)) {
        this.firstTries.reject(key);
        this.#rejections.set(key, { error, at: this.now() });
      }
      throw error;
    }
  }
}
