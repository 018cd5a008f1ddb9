import type { AuthUrl, Secret } from "../tokens";
import { revokeToken, validateToken } from "./by-itself";
import { type Tried, wantedKey } from "./cache/credential-key";
import { RecentMap } from "./cache/recent-map";
import type { IssueRequest, RevokeRequest } from "./credential";
import { Discovery, type DiscoveryRequest } from "./discovery";
import { type IdentityTokenRequest, requestFromGitHub } from "./github-actions";
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
import { type ExchangeTools, sleep } from "./retry/exchange";
import { Sender } from "./retry/sender";
import { HttpTransport } from "./transport/http-transport";
import type { UsageJournal } from "./usage-journal";
import { CredentialMemory } from "./waiting/credential-memory";
import { Flights } from "./waiting/flights";

/** All inputs from outside. By default, the machine's network, clock, timers and chance. */
export interface IdentityClientOptions extends Partial<Omit<ExchangeTools, "limits">> {
  /** Source of HTTPS_PROXY, NO_PROXY and their lower-case forms, and of the trusted CAs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<Limits>;
  /** Counts requests and tokens. */
  readonly journal?: UsageJournal;
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
 * @see spec, "Issue an IAM token"
 */
export class IdentityClient {
  readonly #sender: Sender;
  readonly #memory: CredentialMemory;
  readonly #issuing: Issuing;
  readonly #discovery: Discovery;
  readonly #journal: UsageJournal | undefined;
  readonly #tokens: RecentMap<TimedToken>;
  readonly #flights = new Flights<TimedToken>();

  constructor({ env = {}, journal, remember = true, ...given }: IdentityClientOptions = {}) {
    const limits = limitsOf(given.limits);
    const { now = Date.now, random = Math.random, log = () => {} } = given;
    const transport = given.transport ?? new HttpTransport({ limits, env, now });
    this.#sender = new Sender({ sleep, ...given, now, random, log, limits, transport });
    this.#memory = new CredentialMemory(limits, now);
    this.#issuing = new Issuing(this.#sender, this.#memory, journal);
    this.#discovery = new Discovery(this.#sender, (parts) => this.#memory.keys.digest(parts));
    this.#journal = journal;
    this.#tokens = new RecentMap(remember ? limits.cacheEntries : 0);
  }

  /**
   * A token with at least `minRemainingMs` left: a remembered or a new one. Concurrent callers
   * share one request.
   *
   * @throws ERR_CREDENTIALS_REJECTED (also remembered ones), ERR_SECOND_FACTOR_REQUIRED,
   * ERR_IDENTITY_TOKEN_INVALID, ERR_LIFETIME_TOO_SHORT, ERR_CANCELLED and the codes of the answer
   */
  async obtain(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const tried = this.#tried(request);
    // A refusal applies to both places; a token to one only.
    const key = [tried.key, request.keptIn ?? "memory", wantedKey(request)].join("/");
    const known = this.#tokens.get(key);
    const { now, limits } = this.#sender.tools;
    if (known !== undefined) {
      if (isReusable(known, request.minRemainingMs, now(), limits))
        return this.#used(known, request);
      // Another request would not return more, as the service's lifetime was the same a moment ago.
      const since = known.signedInAt ?? known.receivedAt;
      if (isWithin(limits.freshMs, since, now())) assertLifetime(known, request);
    }
    const start = async (shared: AbortSignal) => {
      const token = await this.#issuing.issue({ request, tried, isOwn: false }, shared);
      this.#tokens.set(key, token);
      return token;
    };
    return this.#used(await this.#flights.join(key, start, signal), request);
  }

  /**
   * A token for the caller alone: never shared, never remembered. One that is refused, as for
   * its lifetime, is revoked.
   *
   * @throws the same as {@link IdentityClient.obtain}
   */
  async issueOwn(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const tried = this.#tried(request);
    const token = await this.#issuing.issue({ request, tried, isOwn: true }, signal);
    return this.#used(token, request);
  }

  /**
   * Revokes a token. Revoking a token that does not exist is not an error.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async revoke(request: RevokeRequest, signal: AbortSignal): Promise<Revocation> {
    const value = request.token.reveal();
    this.#tokens.deleteWhere(({ token }) => token.reveal() === value);
    return revokeToken(request, this.#sender, signal);
  }

  /**
   * Asks the service whether it accepts a token, by the token itself: one attempt, of five seconds.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async validate(
    request: Omit<RevokeRequest, "retryForMs">,
    signal: AbortSignal,
  ): Promise<Validation> {
    return validateToken(request, this.#sender, signal);
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
   * Requests an identity token from GitHub Actions, for one sign-in.
   *
   * @throws ERR_IDENTITY_TOKEN_UNAVAILABLE, ERR_ADDRESS_INVALID, ERR_CANCELLED and the codes of
   * faults
   */
  async requestIdentityToken(asked: IdentityTokenRequest, signal: AbortSignal): Promise<Secret> {
    return requestFromGitHub(asked, this.#sender, this.#memory, signal);
  }

  /** Cancels operations in progress (ERR_CANCELLED) and their connections; forgets all tokens. */
  async close(): Promise<void> {
    this.#sender.close();
    this.#tokens.clear();
    this.#issuing.clear();
  }

  /** The digests of a request, unless its credential is known to be refused: then it throws. */
  #tried(request: IssueRequest): Tried {
    const tried = this.#memory.keys.of(request);
    this.#memory.assertNotRefused(tried);
    return tried;
  }

  #used(token: TimedToken, request: IssueRequest): IssuedToken {
    assertLifetime(token, request);
    this.#journal?.noteUse(remainingAt(token, this.#sender.tools.now()));
    return token;
  }
}
