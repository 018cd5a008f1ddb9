import {
  type AuthUrl,
  defined,
  formatApart,
  IamTokensError,
  type Secret,
  setting,
  words,
} from "../tokens";
import { credentialKey, loginKey, wantedKey } from "./cache/credential-key";
import { RecentMap } from "./cache/recent-map";
import type { IssueRequest, Proof, RevokeRequest } from "./credential";
import { type DiscoveryRequest, interpretVersions, versionsRequest } from "./discovery";
import { type IdentityTokenRequest, requestFromGitHub } from "./github-actions";
import {
  interpretIssue,
  issueWantsBody,
  isUnscopedGone,
  tokenInRefused,
  unscopedGoneError,
} from "./interpret/issue-answer";
import { interpretRevoke, type Revocation, revokeWantsBody } from "./interpret/revoke-answer";
import { interpretValidate, type Validation } from "./interpret/validate-answer";
import { type IssuedToken, isReusable, remainingAt, type TimedToken } from "./issued-token";
import { type Limits, limitsOf } from "./limits";
import { issueRequest, revokeRequest, validateRequest } from "./requests";
import {
  type Exchanged,
  type ExchangeRequest,
  type ExchangeTools,
  exchange,
  type Sleep,
  sleep,
} from "./retry/exchange";
import { isPassing } from "./retry/policy";
import { SignIns } from "./sign-ins";
import { HttpTransport } from "./transport/http-transport";
import type { Transport } from "./transport/transport";
import type { UsageJournal } from "./usage-journal";
import { CredentialMemory, type Tried } from "./waiting/credential-memory";
import { Flights } from "./waiting/flights";
import { Turns } from "./waiting/turns";

/** All inputs from outside. */
export interface IdentityClientOptions {
  /** Source of HTTPS_PROXY, NO_PROXY and their lower-case forms, and of the trusted CAs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. @default the machine's clock */
  readonly now?: () => number;
  /** From 0 to below 1, for the jitter of waits. @default Math.random */
  readonly random?: () => number;
  /** Waits between tries. @default the machine's timers */
  readonly sleep?: Sleep;
  readonly limits?: Partial<Limits>;
  readonly log?: ExchangeTools["log"];
  /** Counts requests and tokens. */
  readonly journal?: UsageJournal;
  /**
   * Whether tokens are reused. Otherwise every call makes its own request, except that concurrent
   * ones share one. Refusals are remembered in any case.
   *
   * @default true
   */
  readonly remember?: boolean;
  /** Replaces HTTP in tests. */
  readonly transport?: Transport;
}

/**
 * Issues IAM tokens, one for each credential and scope as long as it lasts.
 *
 * @example
 * const client = new IdentityClient({ env: process.env });
 * const scope = { kind: "account", account: { name: "123456" } };
 * const { token, expiresAt } = await client.obtain({ credential, scope }, signal);
 * await client.close();
 * @see spec, "Issue an IAM token"
 */
export class IdentityClient {
  readonly #tools: ExchangeTools;
  readonly #memory: CredentialMemory;
  readonly #signIns: SignIns;
  readonly #tokens: RecentMap<TimedToken>;
  readonly #flights = new Flights<TimedToken>();
  /** By the address without a version. */
  readonly #addresses: RecentMap<AuthUrl>;
  readonly #questions = new Flights<AuthUrl>();
  /** By the origin of a service. */
  readonly #turns = new Map<string, Turns>();
  readonly #journal: UsageJournal | undefined;
  readonly #remember: boolean;
  /** Requests in progress. A set instead of listeners of one signal: there may be a thousand. */
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor(options: IdentityClientOptions = {}) {
    const limits = limitsOf(options.limits);
    const now = options.now ?? Date.now;
    const { env = {} } = options;
    this.#tools = {
      transport: options.transport ?? new HttpTransport({ limits, env, now }),
      limits,
      now,
      random: options.random ?? Math.random,
      sleep: options.sleep ?? sleep,
      log: options.log ?? (() => {}),
    };
    this.#memory = new CredentialMemory(limits, now);
    this.#signIns = new SignIns({
      send: (wanted, signal, of) => this.#send(wanted, signal, of),
      memory: this.#memory,
      tools: this.#tools,
      revoke: ({ credential: { authUrl }, tls }, token) =>
        this.#revoke({ authUrl, token, ...defined({ tls }) }, new AbortController().signal),
    });
    this.#tokens = new RecentMap(limits.cacheEntries);
    this.#addresses = new RecentMap(limits.cacheEntries);
    this.#journal = options.journal;
    this.#remember = options.remember ?? true;
  }

  /**
   * A token with at least `minRemainingMs` left: a remembered or a new one. Concurrent callers
   * share one request.
   *
   * @throws ERR_CREDENTIALS_REJECTED (also remembered ones), ERR_SECOND_FACTOR_REQUIRED,
   * ERR_IDENTITY_TOKEN_INVALID, ERR_LIFETIME_TOO_SHORT, ERR_CANCELLED and the codes of the answer
   */
  async obtain(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const tried = this.#assertPossible(request);
    const { key } = tried;
    // A refusal applies to both places; a token to one only.
    const tokenKey = [key, request.keptIn ?? "memory", wantedKey(request)].join("/");
    const known = this.#tokens.get(tokenKey);
    if (known !== undefined) {
      if (isReusable(known, request.minRemainingMs, this.#tools.now(), this.#tools.limits)) {
        this.#journal?.noteUse(key, request, remainingAt(known, this.#tools.now()));
        return known.issued;
      }
      // Another request would not return more, as the service's lifetime was the same a moment ago.
      if (this.#isFresh(known)) assertLifetime(known, request);
    }
    const start = async (shared: AbortSignal) => {
      const fresh = await this.#issue(request, tried, false, shared);
      if (!this.#closed && this.#remember) this.#tokens.set(tokenKey, fresh);
      return fresh;
    };
    return this.#used(await this.#flights.join(tokenKey, start, signal), key, request);
  }

  /**
   * A token for the caller alone: never shared, never remembered. One that is refused, as for
   * its lifetime, is revoked.
   *
   * @throws the same as {@link IdentityClient.obtain}
   */
  async issueOwn(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const tried = this.#assertPossible(request);
    const timed = await this.#issue(request, tried, true, signal);
    try {
      return this.#used(timed, tried.key, request);
    } catch (error) {
      throw await this.#discarded(timed.issued.token, request, error);
    }
  }

  /**
   * Revokes a token. Revoking a token that does not exist is not an error.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async revoke(request: RevokeRequest, signal: AbortSignal): Promise<Revocation> {
    const value = request.token.reveal();
    this.#tokens.deleteWhere((timed) => timed.issued.token.reveal() === value);
    return this.#revoke(request, signal);
  }

  /**
   * Asks the service whether it accepts a token, by the token itself: one attempt, of five seconds.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async validate(
    { authUrl, token, tls }: Omit<RevokeRequest, "retryForMs">,
    signal: AbortSignal,
  ): Promise<Validation> {
    const { limits } = this.#tools;
    const requestMs = Math.min(limits.validateMs, limits.requestMs);
    const request = validateRequest(authUrl, token);
    const wanted = {
      request,
      ...defined({ tls }),
      wantsBody: () => false,
      retryForMs: 0,
      requestMs,
    };
    return this.#linked(signal, async (linked) => {
      const { outcome } = await this.#send(wanted, linked);
      return interpretValidate(outcome, request.url, token, { ...limits, requestMs });
    });
  }

  /**
   * The address of the service's v3, as it answers; a guess where it does not answer, until it does.
   *
   * @throws ERR_CANCELLED, ERR_CERTIFICATE_INVALID, ERR_PROXY_INVALID
   */
  async discover(question: DiscoveryRequest, signal: AbortSignal): Promise<AuthUrl> {
    const { authUrl } = question;
    const key = String(authUrl.asked);
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    const ask = (shared: AbortSignal) =>
      this.#linked(shared, async (linked) => {
        const { outcome } = await this.#send(versionsRequest(question), linked);
        const found = interpretVersions(outcome, authUrl);
        if (outcome.kind === "answer" && !isPassing(outcome)) this.#addresses.set(key, found);
        return found;
      });
    return this.#questions.join(key, ask, signal);
  }

  /**
   * Requests an identity token from GitHub Actions, for one sign-in.
   *
   * @throws ERR_IDENTITY_TOKEN_UNAVAILABLE, ERR_ADDRESS_INVALID, ERR_CANCELLED and the codes of
   * faults
   */
  async requestIdentityToken(asked: IdentityTokenRequest, signal: AbortSignal): Promise<Secret> {
    return this.#linked(signal, (linked) =>
      requestFromGitHub(asked, {
        send: (wanted) => this.#send(wanted, linked),
        memory: this.#memory,
        limits: this.#tools.limits,
      }),
    );
  }

  /**
   * Cancels operations in progress (ERR_CANCELLED), forgets all tokens, and closes all connections.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const controller of this.#underWay) controller.abort();
    this.#tokens.clear();
    this.#signIns.clear();
    await this.#tools.transport.close();
  }

  /** @param own whether the token is one caller's alone */
  async #issue(
    request: IssueRequest,
    tried: Tried,
    own: boolean,
    signal: AbortSignal,
  ): Promise<TimedToken> {
    const { credential } = request;
    return this.#linked(signal, (linked) =>
      this.#memory.run(tried, linked, async () => {
        const issue = (proof: Proof) => this.#issueBy(proof, request, tried, own, linked);
        if (credential.way !== "identity token") return known(await issue(credential));
        const federated = { ...request, credential };
        // A token in a state is not closed, and keeps a sign-in that others share.
        const isOnce = own && request.keptIn !== "state";
        const use = isOnce ? "useOnce" : "use";
        return known(await this.#signIns[use](federated, linked, issue));
      }),
    );
    function known(token: TimedToken | undefined): TimedToken {
      if (token === undefined) throw unscopedGoneError(credential.authUrl.tokens);
      return token;
    }
  }

  /** Undefined if the service does not know the unscoped token. */
  async #issueBy(
    proof: Proof,
    request: IssueRequest,
    tried: Tried,
    own: boolean,
    signal: AbortSignal,
  ): Promise<TimedToken | undefined> {
    const { scope, expected = {}, tls, retryForMs, keptIn } = request;
    const { limits } = this.#tools;
    const wanted = { request: issueRequest(proof, scope), wantsBody: issueWantsBody(proof) };
    const more = defined({ tls, retryForMs });
    const { outcome, attempts } = await this.#send({ ...wanted, ...more }, signal, request);
    if (isUnscopedGone(outcome, proof)) return undefined;
    const wasAccepted = this.#memory.wasAccepted(tried.login);
    const about = { credential: proof, scope, expected, limits, attempts, wasAccepted };
    const context = { ...about, ...defined({ keptIn }) };
    try {
      const timed = this.#memory.judge(tried, () => interpretIssue(outcome, context));
      this.#journal?.noteIssued(tried.key, request, timed);
      return timed;
    } catch (error) {
      const isWanted = own || keptIn === "state";
      const token = isWanted ? tokenInRefused(outcome, context) : undefined;
      throw token === undefined ? error : await this.#discarded(token, request, error);
    }
  }

  /** The error by which a new token was refused, after its revocation: nobody else has it. */
  async #discarded(
    token: Secret,
    { credential: { authUrl }, tls }: IssueRequest,
    error: unknown,
  ): Promise<unknown> {
    if (!IamTokensError.is(error)) return error;
    // Not the caller's signal: that may be aborted while there is something to revoke.
    const signal = AbortSignal.timeout(this.#tools.limits.requestMs);
    return this.#revoke({ authUrl, token, ...defined({ tls }) }, signal).then(
      () => error,
      () => error.adding("The token could not be revoked, and lives until it expires."),
    );
  }

  #revoke(
    { authUrl, token, tls, retryForMs }: RevokeRequest,
    signal: AbortSignal,
  ): Promise<Revocation> {
    const request = revokeRequest(authUrl, token);
    const wanted = { request, ...defined({ tls }), wantsBody: revokeWantsBody, retryForMs };
    return this.#linked(signal, async (linked) => {
      const { outcome, attempts } = await this.#send(wanted, linked);
      return interpretRevoke(outcome, request.url, token, this.#tools.limits, attempts);
    });
  }

  /**
   * Sends a request, of which a limited number at a time is in progress at each service.
   *
   * @param of the request for a token that it serves, for the journal
   */
  async #send(wanted: ExchangeRequest, signal: AbortSignal, of?: IssueRequest): Promise<Exchanged> {
    const { origin } = new URL(wanted.request.url);
    const turns = this.#turns.get(origin) ?? new Turns(this.#tools.limits.connections);
    this.#turns.set(origin, turns);
    const exchanged = await turns.take(() => exchange(wanted, this.#tools, signal), signal);
    const { tries, tookMs } = exchanged;
    if (of !== undefined) this.#journal?.noteRequest(this.#keyOf(of), of, tries, tookMs);
    return exchanged;
  }

  /** Refuses what no request can give. Returns what is tried by the request. */
  #assertPossible(request: IssueRequest): Tried {
    const key = this.#keyOf(request);
    const { credential } = request;
    // The login with an identity token is the sign-in, which is tested by itself.
    const isSignedIn = credential.way === "identity token";
    const login = isSignedIn ? key : loginKey(credential, this.#memory.processKey);
    this.#memory.assertNotRefused({ key, login });
    return { key, login };
  }

  #keyOf(request: IssueRequest): string {
    return credentialKey(request, this.#memory.processKey);
  }

  #used(timed: TimedToken, key: string, request: IssueRequest): IssuedToken {
    assertLifetime(timed, request);
    this.#journal?.noteUse(key, request, remainingAt(timed, this.#tools.now()));
    return timed.issued;
  }

  /** Runs with a signal that follows both the caller's and the closing of the client. */
  async #linked<Value>(
    signal: AbortSignal,
    run: (linked: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort);
    this.#underWay.add(controller);
    if (signal.aborted || this.#closed) abort();
    try {
      return await run(controller.signal);
    } finally {
      this.#underWay.delete(controller);
      signal.removeEventListener("abort", abort);
    }
  }

  #isFresh({ receivedAt, signedInAt = receivedAt }: TimedToken): boolean {
    const age = this.#tools.now() - signedInAt;
    return age >= 0 && age < this.#tools.limits.freshMs;
  }
}

const MIN_REMAINING = setting("min_remaining");

/** @throws ERR_LIFETIME_TOO_SHORT if even a new token had less than the requested lifetime */
function assertLifetime({ issued }: TimedToken, { minRemainingMs }: IssueRequest): void {
  if (minRemainingMs === undefined || issued.remainingMs >= minRemainingMs) return;
  const wholeSeconds = Math.floor(issued.remainingMs / 1000) * 1000;
  const [lives, least] = formatApart(wholeSeconds, minRemainingMs);
  const end = issued.credentialEndsAt?.toISOString();
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    words`A new token of ${issued.authUrl.tokens} lives ${lives}, but ${MIN_REMAINING} is ${least}.`,
    end === undefined
      ? {}
      : {
          more: `The application credential ends at ${end}.`,
          remedy: words`Create another application credential, or give a smaller ${MIN_REMAINING}.`,
        },
  );
}
