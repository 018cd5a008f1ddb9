import { defined, type ErrorCode, formatDuration, IamTokensError, words } from "../tokens";
import { Cache } from "./cache/cache";
import { CredentialKeys, type LoginKeys } from "./cache/credential-key";
import type { Limits } from "./limits";
import { untilAborted } from "./waiting/until-aborted";

interface Refusal {
  readonly error: IamTokensError;
  readonly times: number;
  /** The refused ones: scopes of a login, logins of a user. */
  readonly of: ReadonlySet<string>;
}

const REFUSALS: readonly ErrorCode[] = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_SECOND_FACTOR_REQUIRED",
  "ERR_IDENTITY_TOKEN_UNAVAILABLE",
];

/**
 * A client's knowledge of logins, in memory: neither tokens nor secrets.
 *
 * A hundred references with a wrong password must cause one request, and not lock a user, whatever
 * their scopes are. One request tests a user before others are sent, then one each login of the
 * user, and each scope of the login. A refusal is remembered for its scope; after two refused
 * scopes of a login that is not accepted, for the others as well; after two refused logins of a
 * user, whatever their secrets are, for those that are not accepted. A login that was accepted is
 * no longer, when a scope that was accepted with it is refused: the password was changed, or the
 * user is locked. The password may be right a moment later, in the same apply: at first, a refusal
 * is remembered for a short time.
 */
export class Logins {
  /** By key, login or user. Two maps: many that are accepted drop no refusal. */
  readonly #accepted: Cache<true>;
  readonly #refusals: Cache<Refusal>;
  /** Under way. */
  readonly #tests = new Map<string, Promise<void>>();

  constructor(
    private readonly limits: Limits,
    clock: () => number,
    readonly keys: CredentialKeys = new CredentialKeys(),
  ) {
    this.#accepted = new Cache(limits.cacheEntries, clock);
    this.#refusals = new Cache(limits.cacheEntries, clock);
  }

  /** Whether a key, a login or a user was accepted. */
  wasAccepted(key: string): boolean {
    return this.#accepted.find(key) !== undefined;
  }

  /** @throws the error of a refusal a short time ago, which says so */
  assertNotRefused({ key, login, user }: LoginKeys): void {
    this.#check(key, ":");
    if (key === login || this.wasAccepted(login)) return;
    for (const [one, all, others] of [
      [key, login, "scopes of this login"],
      [login, user, "secrets of this user"],
    ] as const) {
      const { value } = this.#refusals.find(all) ?? {};
      if (!this.#refusals.find(one) && value && value.of.size > 1)
        this.#check(all, `, as other ${others} were refused:`);
    }
  }

  /**
   * Runs `issue`, after another call that is testing the same user, login or scope.
   *
   * @throws what `issue` throws, or the error of a refusal
   */
  async run<Value>(
    keys: LoginKeys,
    signal: AbortSignal,
    issue: () => Promise<Value>,
  ): Promise<Value> {
    for (;;) {
      this.assertNotRefused(keys);
      const { user, login, key } = keys;
      const tested = [user, login, key].find((each) => !this.wasAccepted(each));
      if (tested === undefined) return issue();
      const test = this.#tests.get(tested);
      if (test === undefined) return this.#test(tested, issue());
      await untilAborted(test, signal);
    }
  }

  /** Interprets an answer to a login, and remembers whether it was accepted or refused. */
  remember<Value>({ key, login, user }: LoginKeys, interpret: () => Value): Value {
    const all = new Set([key, login, user]);
    try {
      const value = interpret();
      for (const each of all) {
        this.#accepted.keep(each, true);
        this.#refusals.delete(each);
      }
      return value;
    } catch (error) {
      if (!IamTokensError.is(error) || !REFUSALS.includes(error.code)) throw error;
      const wasAccepted = this.wasAccepted(key);
      for (const each of all) {
        if (wasAccepted) this.#accepted.delete(each);
        const { times = 0, of = [] } = this.#refusals.find(each)?.value ?? {};
        const what = each === user ? login : key;
        this.#refusals.keep(each, { error, times: times + 1, of: new Set([...of, what]) });
      }
      throw error;
    }
  }

  #test<Value>(tested: string, issuing: Promise<Value>): Promise<Value> {
    const done = () => void this.#tests.delete(tested);
    this.#tests.set(tested, issuing.then(done, done));
    return issuing;
  }

  #check(key: string, why: string): void {
    const refusal = this.#refusals.find(key);
    if (refusal === undefined) return;
    const { value, ageMs } = refusal;
    const { refusalMs } = this.limits;
    const keptMs = refusalMs[Math.min(value.times, refusalMs.length) - 1] ?? 0;
    if (ageMs >= keptMs) return;
    const [old, kept] = [formatDuration(ageMs), formatDuration(keptMs)];
    const { fact, headline } = value.error.parts;
    throw value.error.with({
      fact: words`No request was sent${why} ${old} ago (remembered for ${kept}), ${fact}`,
      ...defined({ headline: headline && words`No request was sent: ${headline}` }),
    });
  }
}
