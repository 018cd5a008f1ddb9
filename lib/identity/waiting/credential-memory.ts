import { type ErrorCode, formatDuration, IamTokensError, words } from "../../tokens";
import { CredentialKeys, type Tried } from "../cache/credential-key";
import { RecentMap } from "../cache/recent-map";
import type { Limits } from "../limits";
import { untilAborted } from "./until-aborted";

interface Refusal {
  readonly error: IamTokensError;
  readonly at: number;
  readonly times: number;
  /** The keys that were refused. */
  readonly of: ReadonlySet<string>;
}

const REFUSALS: readonly ErrorCode[] = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_SECOND_FACTOR_REQUIRED",
  "ERR_IDENTITY_TOKEN_UNAVAILABLE",
];

/** A service that does not work fails all the same: others need not wait as long again. */
const FAILURES: readonly ErrorCode[] = [
  "ERR_CONNECTION_FAILED",
  "ERR_NO_ANSWER",
  "ERR_RATE_LIMITED",
  "ERR_SERVICE_FAILED",
];

/**
 * A client's knowledge of credentials, in memory: neither tokens nor secrets.
 *
 * A hundred references with a wrong password must cause one request, and not lock a user, whatever
 * their scopes are. One request tests a login before others are sent; once it was accepted, one of
 * each scope. A refusal is remembered for its scope; after two refused scopes of a login that was
 * never accepted, for the others as well. The password may be right a moment later, in the same
 * apply: at first, it is remembered for a short time.
 */
export class CredentialMemory {
  readonly keys = new CredentialKeys();
  /** By key or login. Apart from each other: many that are accepted drop no refusal. */
  readonly #accepted: RecentMap<true>;
  readonly #refusals: RecentMap<Refusal>;
  /** Under way; each gives the error that those who wait for it get, if there is one. */
  readonly #tests = new Map<string, Promise<IamTokensError | undefined>>();

  constructor(
    private readonly limits: Limits,
    private readonly now: () => number,
  ) {
    this.#accepted = new RecentMap(limits.cacheEntries);
    this.#refusals = new RecentMap(limits.cacheEntries);
  }

  /** Whether a key or a login was accepted. */
  wasAccepted(key: string): boolean {
    return this.#accepted.get(key) === true;
  }

  /** @throws the error of a refusal a short time ago, which says so */
  assertNotRefused({ key, login }: Tried): void {
    this.#check(key, ":");
    if (key === login || this.wasAccepted(login) || this.#refusals.get(key) !== undefined) return;
    const refused = this.#refusals.get(login)?.of;
    if (refused !== undefined && refused.size > 1)
      this.#check(login, ", as other scopes of this login were refused:");
  }

  /**
   * Runs `issue`, after another call that is testing the same login.
   *
   * @throws what `issue` throws, the error of a refusal, or of a service that failed in that test
   */
  async run<Value>(tried: Tried, signal: AbortSignal, issue: () => Promise<Value>): Promise<Value> {
    for (;;) {
      this.assertNotRefused(tried);
      if (this.wasAccepted(tried.key)) return issue();
      const tested = this.wasAccepted(tried.login) ? tried.key : tried.login;
      const test = this.#tests.get(tested);
      if (test === undefined) return this.#test(tested, issue());
      const failure = await untilAborted(test, signal);
      if (failure !== undefined) throw failure;
    }
  }

  /** Interprets an answer to a credential, and remembers whether it was accepted or refused. */
  judge<Value>({ key, login }: Tried, interpret: () => Value): Value {
    const keys = new Set([key, login]);
    try {
      const value = interpret();
      for (const each of keys) {
        this.#accepted.set(each, true);
        this.#refusals.delete(each);
      }
      return value;
    } catch (error) {
      if (!IamTokensError.is(error) || !REFUSALS.includes(error.code)) throw error;
      this.#accepted.delete(key);
      for (const each of keys) {
        const { times = 0, of = [] } = this.#refusals.get(each) ?? {};
        const refusal = { error, at: this.now(), times: times + 1, of: new Set([...of, key]) };
        this.#refusals.set(each, refusal);
      }
      throw error;
    }
  }

  #test<Value>(tested: string, issuing: Promise<Value>): Promise<Value> {
    const done = (error?: unknown) => {
      this.#tests.delete(tested);
      return IamTokensError.is(error) && FAILURES.includes(error.code)
        ? unsent(error, ", as another one with this login failed:")
        : undefined;
    };
    this.#tests.set(
      tested,
      issuing.then(() => done(), done),
    );
    return issuing;
  }

  #check(key: string, why: string): void {
    const refusal = this.#refusals.get(key);
    if (refusal === undefined) return;
    const { refusalMs } = this.limits;
    const keptMs = refusalMs[Math.min(refusal.times, refusalMs.length) - 1] ?? 0;
    const age = this.now() - refusal.at;
    // Of a time to come, as after a clock was set back.
    if (age < 0) this.#refusals.delete(key);
    if (age < 0 || age >= keptMs) return;
    const [old, kept] = [formatDuration(age), formatDuration(keptMs)];
    throw unsent(refusal.error, `${why} ${old} ago (remembered for ${kept}),`);
  }
}

/** The error of another request, for one that was not sent: the message never hides that. */
function unsent(error: IamTokensError, why: string): IamTokensError {
  const unsent = "No request was sent";
  const { fact, headline } = error.parts;
  return error.with({
    fact: words`${unsent}${why} ${fact}`,
    ...(headline && { headline: words`${unsent}: ${headline}` }),
  });
}
