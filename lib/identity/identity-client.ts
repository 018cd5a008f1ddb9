import { randomBytes } from "node:crypto";
import { defined, formatDuration, IamTokensError } from "../tokens";
import { credentialKey, loginKey } from "./cache/credential-key";
import { FirstTries } from "./cache/first-tries";
import { Flights } from "./cache/flights";
import { Logins } from "./cache/logins";
import { RecentMap } from "./cache/recent-map";
import { Rejections } from "./cache/rejections";
import { isReusable } from "./cache/remaining";
import { RequestQueue } from "./cache/request-queue";
import type { IssueRequest, PasswordRequest, RevokeRequest } from "./credential";
import { cancelledError } from "./interpret/fault";
import { interpretIssue, issueWantsBody } from "./interpret/issue-answer";
import { type Rejected, rejectedError, toRejected } from "./interpret/refusal";
import { interpretRevoke, type Revocation, revokeWantsBody } from "./interpret/revoke-answer";
import type { IssuedToken, TimedToken } from "./issued-token";
import { type Limits, limitsOf } from "./limits";
import { issueRequest, revokeRequest } from "./requests";
import {
  type Exchanged,
  type ExchangeRequest,
  type ExchangeTools,
  exchange,
  type Sleep,
  sleep,
} from "./retry/exchange";
import { HttpTransport } from "./transport/http-transport";
import type { Transport } from "./transport/transport";
import type { UsageJournal } from "./usage-journal";

/**
 * How long a refusal waits for the answers to other requests of the same user: whether these got a
 * token decides what it says.
 */
const OTHERS_MS = 500;

/** All inputs from outside. */
export interface IdentityClientOptions {
  /** Source of HTTPS_PROXY, NO_PROXY and their lower-case forms. @default - no proxy */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. @default the machine's clock */
  readonly now?: () => number;
  /** From 0 to below 1, for the jitter of waits. @default Math.random */
  readonly random?: () => number;
  /** Waits between tries. @default the machine's timers */
  readonly sleep?: Sleep;
  /** A PEM file whose certificates are trusted in addition (IAM_TOKENS_EXTRA_CA_CERTS). */
  readonly extraCaFile?: string;
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
 * const { token, expiresAt } = await client.obtain({ credential, scope: { kind: "account" } },
 * signal); await client.close();
 * @see spec, "Issue an IAM token"
 */
export class IdentityClient {
  readonly #tools: ExchangeTools;
  readonly #processKey = randomBytes(32);
  readonly #tokens: RecentMap<TimedToken>;
  readonly #rejections: Rejections;
  readonly #flights = new Flights<TimedToken>();
  readonly #turns: RequestQueue;
  readonly #firstTries: FirstTries;
  readonly #logins: Logins;
  readonly #journal: UsageJournal | undefined;
  readonly #remember: boolean;
  /** Requests in progress. A set instead of listeners of one signal: there may be a thousand. */
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor(options: IdentityClientOptions = {}) {
    const limits = limitsOf(options.limits);
    const now = options.now ?? Date.now;
    const { env = {}, extraCaFile } = options;
    this.#tools = {
      transport:
        options.transport ?? new HttpTransport({ limits, env, now, ...defined({ extraCaFile }) }),
      limits,
      now,
      random: options.random ?? Math.random,
      sleep: options.sleep ?? sleep,
      log: options.log ?? (() => {}),
    };
    this.#tokens = new RecentMap(limits.cacheEntries);
    this.#firstTries = new FirstTries(limits.cacheEntries);
    this.#rejections = new Rejections(limits.cacheEntries, limits.rejectionMemoryMs, now);
    this.#logins = new Logins(limits.cacheEntries, now);
    this.#turns = new RequestQueue(limits.connections);
    this.#journal = options.journal;
    this.#remember = options.remember ?? true;
  }

  /**
   * A token with at least `minRemainingMs` left: a remembered or a new one. Concurrent callers
   * share one request.
   *
   * @throws ERR_CREDENTIALS_REJECTED (also remembered ones), ERR_LIFETIME_TOO_SHORT, ERR_CANCELLED
   * and the codes of the answer
   */
  async obtain(asked: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const request = withPassword(asked);
    const key = credentialKey(request, this.#processKey);
    this.#assertOpen(signal);
    this.#rejections.assertNone(key);
    // A refusal applies to both places; a token to one only.
    const tokenKey = `${key}/${request.keptIn ?? "memory"}`;
    const known = this.#tokens.get(tokenKey);
    if (known !== undefined) {
      if (isReusable(known, request.minRemainingMs, this.#tools.now(), this.#tools.limits)) {
        this.#journal?.noteUse(key, request);
        return known.issued;
      }
      // Another request would not return more, as the service's lifetime was the same a moment ago.
      if (this.#isFresh(known)) assertLifetime(known, request.minRemainingMs);
    }
    const timed = await this.#flights.join(
      tokenKey,
      async (shared) => {
        const fresh = await this.#linked(shared, (linked) =>
          this.#issueFresh(request, key, linked),
        );
        if (!this.#closed && this.#remember) this.#tokens.set(tokenKey, fresh);
        return fresh;
      },
      signal,
    );
    assertLifetime(timed, request.minRemainingMs);
    this.#journal?.noteUse(key, request);
    return timed.issued;
  }

  /**
   * A token for the caller alone: never shared, never remembered.
   *
   * @throws the same as {@link IdentityClient.obtain}
   */
  async issueOwn(asked: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const request = withPassword(asked);
    const key = credentialKey(request, this.#processKey);
    this.#assertOpen(signal);
    this.#rejections.assertNone(key);
    const timed = await this.#linked(signal, (linked) => this.#issueFresh(request, key, linked));
    assertLifetime(timed, request.minRemainingMs);
    this.#journal?.noteUse(key, request);
    return timed.issued;
  }

  /**
   * Revokes a token. Revoking a token that does not exist is not an error.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async revoke(
    { authUrl, token, tls, retryForMs }: RevokeRequest,
    signal: AbortSignal,
  ): Promise<Revocation> {
    this.#assertOpen(signal);
    const value = token.reveal();
    this.#tokens.deleteWhere((timed) => timed.issued.token.reveal() === value);
    const request = revokeRequest(authUrl, token);
    const wanted = { request, ...defined({ tls }), wantsBody: revokeWantsBody, retryForMs };
    const { outcome, attempts } = await this.#linked(signal, (linked) =>
      this.#exchange(wanted, linked),
    );
    return interpretRevoke(outcome, request.url, token, this.#tools.limits, attempts);
  }

  /**
   * Cancels operations in progress (ERR_CANCELLED), forgets all tokens, and closes all connections.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const controller of this.#underWay) controller.abort();
    this.#tokens.clear();
    this.#firstTries.clear();
    this.#rejections.clear();
    this.#logins.clear();
    await this.#tools.transport.close();
  }

  async #issueFresh(
    request: PasswordRequest,
    key: string,
    signal: AbortSignal,
  ): Promise<TimedToken> {
    const { credential, scope, tls } = request;
    const { limits } = this.#tools;
    const login = loginKey(credential, this.#processKey);
    const recheck = () => {
      this.#assertOpen(signal);
      this.#rejections.assertNone(key);
    };
    return this.#firstTries.run(key, signal, recheck, async () => {
      const wanted = {
        request: issueRequest(credential, scope),
        ...defined({ tls }),
        wantsBody: issueWantsBody,
        retryForMs: request.retryForMs,
      };
      const answered = this.#exchange(wanted, signal);
      this.#logins.asks(login, answered);
      const { outcome, attempts, tries, tookMs } = await answered;
      this.#journal?.noteRequest(key, request, tries, tookMs);
      const context = { credential, scope, limits, attempts };
      if (outcome.kind === "answer" && outcome.status === 401)
        throw await this.#rejected(key, login, toRejected(outcome, context), signal);
      const timed = interpretIssue(outcome, context);
      this.#journal?.noteIssued(key, request, timed);
      this.#firstTries.accept(key);
      this.#logins.accept(login, credential, scope);
      return timed;
    });
  }

  /** The error of a 401, which explains it by what other answers prove. */
  async #rejected(
    key: string,
    login: string,
    rejected: Rejected,
    signal: AbortSignal,
  ): Promise<IamTokensError> {
    if (this.#firstTries.reject(key)) this.#logins.lose(login);
    const explain = () => rejectedError(rejected, this.#logins.about(login, rejected.credential));
    this.#rejections.note(key, explain);
    const others = this.#logins.asking(login);
    if (others.length > 0) {
      const over = new AbortController();
      const late = this.#tools.sleep(OTHERS_MS, AbortSignal.any([signal, over.signal]));
      await Promise.race([Promise.allSettled(others), late]);
      over.abort();
    }
    return explain();
  }

  #exchange(wanted: ExchangeRequest, signal: AbortSignal): Promise<Exchanged> {
    return this.#turns.take(new URL(wanted.request.url).origin, signal, (holdOthers) =>
      exchange(wanted, this.#tools, signal, holdOthers),
    );
  }

  /** Runs with a signal that follows both the caller's and the closing of the client. */
  async #linked<Value>(
    signal: AbortSignal,
    run: (linked: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort, { once: true });
    this.#underWay.add(controller);
    if (signal.aborted || this.#closed) abort();
    try {
      return await run(controller.signal);
    } finally {
      this.#underWay.delete(controller);
      signal.removeEventListener("abort", abort);
    }
  }

  #isFresh(timed: TimedToken): boolean {
    const age = this.#tools.now() - timed.receivedAt;
    return age >= 0 && age < this.#tools.limits.rejectionMemoryMs;
  }

  #assertOpen(signal: AbortSignal): void {
    if (signal.aborted || this.#closed) throw cancelledError();
  }
}

/** @throws ERR_CREDENTIALS_UNSUPPORTED for another way of signing in */
function withPassword(request: IssueRequest): PasswordRequest {
  const { credential } = request;
  if (credential.way === "password") return { ...request, credential };
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `Signing in by ${credential.way} is not supported yet.`,
  );
}

/** @throws ERR_LIFETIME_TOO_SHORT if even a new token had less than the requested lifetime */
function assertLifetime({ issued }: TimedToken, minRemainingMs: number | undefined): void {
  if (minRemainingMs === undefined || issued.remainingMs >= minRemainingMs) return;
  // Rounded down: the two numbers never look equal.
  const lives = formatDuration(Math.floor(issued.remainingMs / 1000) * 1000);
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    `A new token of ${issued.authUrl.tokens} lives ${lives}, but min_remaining is ${formatDuration(minRemainingMs)}.`,
  );
}
