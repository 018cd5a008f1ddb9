import { randomBytes } from "node:crypto";
import { IamTokensError } from "../../tokens";
import { cancelledError } from "../interpret/fault";
import type { Limits } from "../limits";
import { FirstTries } from "./first-tries";
import { Rejections } from "./rejections";

const REFUSALS: ReadonlySet<string> = new Set([
  "ERR_CREDENTIALS_REJECTED",
  "ERR_SECOND_FACTOR_REQUIRED",
  "ERR_IDENTITY_TOKEN_UNAVAILABLE",
]);

/** What a client remembers of credentials, in memory: no token, and no secret. */
export class CredentialMemory {
  /** For digests of secrets, which mean nothing outside this client. */
  readonly processKey = randomBytes(32);
  readonly #rejections: Rejections;
  readonly #firstTries: FirstTries;

  constructor({ cacheEntries, rejectionMemoryMs }: Limits, now: () => number) {
    this.#rejections = new Rejections(cacheEntries, rejectionMemoryMs, now);
    this.#firstTries = new FirstTries(cacheEntries);
  }

  /** @throws the error of a refusal a short time ago */
  assertNotRejected(key: string): void {
    this.#rejections.assertNone(key);
  }

  /** Runs `issue`, after another call that is testing the same credential. */
  run<Value>(key: string, signal: AbortSignal, issue: () => Promise<Value>): Promise<Value> {
    const recheck = () => {
      if (signal.aborted) throw cancelledError();
      this.assertNotRejected(key);
    };
    return this.#firstTries.run(key, signal, recheck, issue);
  }

  /** Interprets an answer to a credential, and remembers whether it was accepted or refused. */
  judge<Value>(key: string, interpret: () => Value): Value {
    try {
      const value = interpret();
      this.accept(key);
      return value;
    } catch (error) {
      if (IamTokensError.is(error) && REFUSALS.has(error.code)) {
        this.#firstTries.reject(key);
        this.#rejections.note(key, error);
      }
      throw error;
    }
  }

  accept(key: string): void {
    this.#firstTries.accept(key);
  }

  wasAccepted(key: string): boolean {
    return this.#firstTries.wasAccepted(key);
  }

  clear(): void {
    this.#rejections.clear();
    this.#firstTries.clear();
  }
}
