import { type AuthUrl, monotonicNow, type Secret } from "../tokens";
import { Cache } from "./cache/cache";
import { CredentialKeys, type LoginKeys, wantedKey } from "./cache/credential-key";
import type { IssueRequest, RevokeRequest } from "./credential";
import { Discovery, type DiscoveryRequest } from "./discovery";
import type { Revocation, Validation } from "./interpret/token-answer";
import {
  assertLifetime,
  type IssuedToken,
  isReusable,
  remainingAt,
  type TimedToken,
} from "./issued-token";
import { Issuing } from "./issuing";
import { isWithin, type Limits, limitsOf } from "./limits";
import { Logins } from "./login";
import { revokeToken, validateToken } from "./revoke-validate";
import { type ExchangeTools, Services, sleep } from "./service";
import { HttpTransport } from "./transport/http-transport";
import { countUse, noUsage, type Usage } from "./usage";
import { untilAborted } from "./waiting/until-aborted";

/** All inputs from outside. By default, the machine's network, clock, timers and chance. */
export interface IdentityClientOptions extends Partial<Omit<ExchangeTools, "limits">> {
  /** Source of HTTPS_PROXY, NO_PROXY and their lower-case forms, and of the trusted CAs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<Limits>;
  /** Where requests and tokens are counted. */
  readonly usage?: Usage;
  /**
   * Whether tokens are reused. Otherwise every call makes its own request, except that concurrent
   * ones share one. Refusals are remembered in any case.
   *
   * @default true
   */
  readonly remember?: boolean;
}

/**
 * Issues IAM tokens, one for each credential and scope as long as it lasts.
 *
 * @example
 * const client = new IdentityClient({ env: process.env });
 * const scope = { kind: "account", account: { name: "123456" } };
 * const { token, expiresAt } = await client.obtain({ credential, scope }, signal);
 * client.close();
 * @see test/tokens/spec/request-authentication.md, "Rules of issuing an IAM token"
 */
export class IdentityClient {
  readonly #services: Services;
  readonly #logins: Logins;
  readonly #issuing: Issuing;
  readonly #discovery: Discovery;
  readonly #usage: Usage;
  readonly #tokens: Cache<TimedToken>;
  /** Requests for tokens of one caller, under way. */
  readonly #own = new Set<Promise<unknown>>();
  /** Such requests whose caller has left, until the token is revoked. */
  readonly #late = new Set<Promise<unknown>>();

  constructor({ env = {}, usage, remember = true, ...given }: IdentityClientOptions = {}) {
    const limits = limitsOf(given.limits);
    const { now = Date.now, random = Math.random, log = () => {} } = given;
    // A clock in hand is that of all durations as well.
    const { clock = given.now ?? monotonicNow } = given;
    const transport = given.transport ?? new HttpTransport({ limits, env, now });
    const keys = new CredentialKeys();
    const tools = { sleep, ...given, now, clock, random, log, limits, transport };
    this.#services = new Services(tools, keys);
    this.#logins = new Logins(limits, clock, keys);
    this.#usage = usage ?? noUsage();
    this.#issuing = new Issuing(this.#services, this.#logins, this.#usage);
    this.#discovery = new Discovery(this.#services, keys);
    this.#tokens = new Cache(remember ? limits.cacheEntries : 0, clock);
  }

  /** What requests of another kind share with it: connections, and what is known of logins. */
  internals(): { readonly services: Services; readonly logins: Logins } {
    return { services: this.#services, logins: this.#logins };
  }

  /**
   * A token with at least `minRemainingMs` left: a remembered or a new one. Concurrent callers
   * share one request.
   *
   * @throws ERR_CREDENTIALS_REJECTED (also remembered ones), ERR_SECOND_FACTOR_REQUIRED,
   * ERR_IDENTITY_TOKEN_INVALID, ERR_LIFETIME_TOO_SHORT, ERR_CANCELLED and the codes of the answer
   */
  async obtain(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const keys = this.#keysOf(request);
    // A refusal applies to all places; a token to one only.
    const key = JSON.stringify([keys.key, request.storedIn, wantedKey(request)]);
    const { now, limits } = this.#services.tools;
    const isGood = (token: TimedToken) => {
      if (isReusable(token, request.minRemainingMs, now(), limits)) return true;
      // Another request would not return more, as the service's lifetime was the same a moment ago.
      const since = token.signedInAt ?? token.receivedAt;
      if (isWithin(limits.freshMs, since, now())) assertLifetime(token, request);
      return false;
    };
    const ask = (shared: AbortSignal) =>
      this.#issuing.issue({ request, keys, isUnshared: false }, shared);
    return this.#used(await this.#tokens.get(key, isGood, ask, signal), request);
  }

  /**
   * A token for the caller alone: never shared, never remembered. One that is refused, as for
   * its lifetime, or that nobody waits for any more, is revoked.
   *
   * @throws the same as {@link IdentityClient.obtain}
   */
  async issueOwn(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const keys = this.#keysOf(request);
    const issuing = this.#issuing.issue({ request, keys, isUnshared: true }, signal);
    untilEnded(issuing, this.#own);
    try {
      return this.#used(await untilAborted(issuing, signal), request);
    } catch (error) {
      const discarding = issuing.then(
        ({ token }) => this.#issuing.revokeRefused(token, request, error),
        () => error,
      );
      if (!signal.aborted) throw await discarding;
      // Whoever has cancelled does not wait.
      untilEnded(discarding, this.#late);
      throw error;
    }
  }

  /**
   * Revokes a token. Revoking a token that does not exist is not an error.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async revoke(request: RevokeRequest, signal: AbortSignal): Promise<Revocation> {
    this.#forget(request.token);
    return revokeToken(request, this.#services, signal);
  }

  #forget(ended: Secret): void {
    const value = ended.reveal();
    this.#tokens.deleteWhere(({ token }) => token.reveal() === value);
  }

  /**
   * Asks the service whether it accepts a token, by the token itself: one attempt of five seconds.
   * Nobody gets one that it refuses any more.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async validate(
    request: Omit<RevokeRequest, "retryForMs">,
    signal: AbortSignal,
  ): Promise<Validation> {
    const validation = await validateToken(request, this.#services, signal);
    if (validation === "refused") this.#forget(request.token);
    return validation;
  }

  /**
   * The address of the service's v3, as it answers; a guess where it does not answer.
   *
   * @throws ERR_CANCELLED, ERR_CERTIFICATE_INVALID, ERR_PROXY_INVALID
   */
  async discover(question: DiscoveryRequest, signal: AbortSignal): Promise<AuthUrl> {
    return this.#discovery.find(question, signal);
  }

  /**
   * Cancels operations in progress (ERR_CANCELLED) and their connections; forgets all tokens. Ends
   * when a token of one caller that is on its way is revoked.
   */
  async close(): Promise<void> {
    this.#services.close();
    this.#tokens.clear();
    this.#issuing.clear();
    await Promise.all(this.#own);
    await this.settled();
  }

  /** Ends when no token that a caller has left is on its way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#late);
  }

  /** The digests of a request, unless its credential is known to be refused: then it throws. */
  #keysOf(request: IssueRequest): LoginKeys {
    const keys = this.#logins.keys.of(request);
    this.#logins.assertNotRefused(keys);
    return keys;
  }

  #used(token: TimedToken, request: IssueRequest): IssuedToken {
    assertLifetime(token, request);
    countUse(this.#usage, remainingAt(token, this.#services.tools.now()));
    return token;
  }
}

/** Keeps work in a set until it has ended, however that is. */
function untilEnded(work: Promise<unknown>, all: Set<Promise<unknown>>): void {
  const ended = work
    .catch(() => {})
    .then(() => {
      all.delete(ended);
    });
  all.add(ended);
}
