import { defined, formatDuration, IamTokensError, type Secret } from "../tokens";
import { credentialKey, identityTokenKey, scopeParts } from "./cache/credential-key";
import { Flights } from "./cache/flights";
import { RecentMap } from "./cache/recent-map";
import { isReusable } from "./cache/remaining";
import type { IdentityTokenRequest, IssueRequest, RevokeRequest } from "./credential";
import { cancelledError } from "./interpret/fault";
import {
  assertRequestUrl,
  IDENTITY_TOKEN_BODY_BYTES,
  identityTokenWantsBody,
  interpretIdentityToken,
} from "./interpret/identity-token-answer";
import { interpretRevoke, type Revocation, revokeWantsBody } from "./interpret/revoke-answer";
import type { IssuedToken, TimedToken } from "./issued-token";
import { Issuer } from "./issuing/issuer";
import { CredentialMemory } from "./issuing/memory";
import { Sender } from "./issuing/sender";
import { SignIns } from "./issuing/sign-ins";
import { type Limits, limitsOf } from "./limits";
import { identityTokenRequest, revokeRequest } from "./requests";
import { type ExchangeTools, type Sleep, sleep } from "./retry/exchange";
import { isPassing } from "./retry/policy";
import { HttpTransport } from "./transport/http-transport";
import type { Transport } from "./transport/transport";
import type { UsageJournal } from "./usage-journal";

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
  readonly #sender: Sender;
  readonly #memory: CredentialMemory;
  readonly #signIns: SignIns;
  readonly #issuer: Issuer;
  readonly #tokens: RecentMap<TimedToken>;
  readonly #flights = new Flights<TimedToken>();
  readonly #journal: UsageJournal | undefined;
  readonly #remember: boolean;
  /** Requests in progress. A set instead of listeners of one signal: there may be a thousand. */
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor(options: IdentityClientOptions = {}) {
    const limits = limitsOf(options.limits);
    const now = options.now ?? Date.now;
    const { env = {}, extraCaFile, journal } = options;
    const tools = {
      transport:
        options.transport ?? new HttpTransport({ limits, env, now, ...defined({ extraCaFile }) }),
      limits,
      now,
      random: options.random ?? Math.random,
      sleep: options.sleep ?? sleep,
      log: options.log ?? (() => {}),
    };
    const sender = new Sender(tools);
    const memory = new CredentialMemory(limits, now);
    const signIns = new SignIns({
      sender,
      memory,
      tools,
      noteRequest: (request, tries, tookMs) =>
        journal?.noteRequest(this.#keyOf(request), request, tries, tookMs),
      abandon: ({ credential: { authUrl }, tls }, unscoped) =>
        void this.#revokeOne({ authUrl, token: unscoped, ...defined({ tls }) }).catch(() => {}),
    });
    this.#tools = tools;
    this.#sender = sender;
    this.#memory = memory;
    this.#signIns = signIns;
    this.#issuer = new Issuer({ sender, signIns, memory, tools, journal });
    this.#tokens = new RecentMap(limits.cacheEntries);
    this.#journal = journal;
    this.#remember = options.remember ?? true;
  }

  /**
   * A token with at least `minRemainingMs` left: a remembered or a new one. Concurrent callers
   * share one request.
   *
   * @throws ERR_CREDENTIALS_REJECTED (also remembered ones),
   * ERR_SECOND_FACTOR_REQUIRED, ERR_IDENTITY_TOKEN_INVALID, ERR_LIFETIME_TOO_SHORT, ERR_CANCELLED
   * and the codes of the answer
   */
  async obtain(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const key = this.#assertPossible(request, signal);
    // A refusal applies to both places; a token to one only.
    const tokenKey = [key, request.keptIn ?? "memory", ...scopeParts(request)].join("/");
    const known = this.#tokens.get(tokenKey);
    if (known !== undefined) {
      if (isReusable(known, request.minRemainingMs, this.#tools.now(), this.#tools.limits)) {
        this.#journal?.noteUse(key, request);
        return known.issued;
      }
      // Another request would not return more, as the service's lifetime was the same a moment ago.
      if (this.#isFresh(known)) assertLifetime(known, request);
    }
    const timed = await this.#flights.join(
      tokenKey,
      async (shared) => {
        const fresh = await this.#linked(shared, (linked) =>
          this.#issuer.issue(request, key, false, linked),
        );
        if (!this.#closed && this.#remember) this.#tokens.set(tokenKey, fresh);
        return fresh;
      },
      signal,
    );
    return this.#used(timed, key, request);
  }

  /**
   * A token for the caller alone: never shared, never remembered.
   *
   * @throws the same as {@link IdentityClient.obtain}
   */
  async issueOwn(request: IssueRequest, signal: AbortSignal): Promise<IssuedToken> {
    const key = this.#assertPossible(request, signal);
    const timed = await this.#linked(signal, (linked) =>
      this.#issuer.issue(request, key, true, linked),
    );
    return this.#used(timed, key, request);
  }

  /**
   * Revokes a token, and with the last token of a sign-in that other callers do not share its
   * unscoped token. Revoking a token that does not exist is not an error.
   *
   * @throws ERR_CANCELLED and the codes of the answer
   */
  async revoke(request: RevokeRequest, signal: AbortSignal): Promise<Revocation> {
    this.#assertOpen(signal);
    const value = request.token.reveal();
    this.#tokens.deleteWhere((timed) => timed.issued.token.reveal() === value);
    const unscoped = this.#signIns.lastOf(request.token);
    const [revocation] = await Promise.all([
      this.#revokeOne(request, signal),
      unscoped && this.#revokeOne({ ...request, token: unscoped }, signal),
    ]);
    return revocation;
  }

  /**
   * Requests an identity token from GitHub Actions, for one sign-in. The secret of the request is
   * only sent to an https address, or to this machine; redirects are not followed.
   *
   * @throws ERR_IDENTITY_TOKEN_UNAVAILABLE, ERR_ADDRESS_INVALID, ERR_CANCELLED and the codes of
   * faults
   */
  async requestIdentityToken(asked: IdentityTokenRequest, signal: AbortSignal): Promise<Secret> {
    this.#assertOpen(signal);
    assertRequestUrl(asked.url);
    const wanted = {
      request: identityTokenRequest(asked),
      wantsBody: identityTokenWantsBody,
      bodyBytes: IDENTITY_TOKEN_BODY_BYTES,
    };
    const { processKey, rejections } = this.#memory;
    const key = identityTokenKey(asked, processKey);
    rejections.assertNone(key);
    const { outcome, attempts } = await this.#linked(signal, (linked) =>
      this.#sender.send(wanted, linked),
    );
    const { limits } = this.#tools;
    const passes = isPassing(outcome);
    try {
      return interpretIdentityToken(outcome, { ...asked, limits, attempts, passes });
    } catch (error) {
      const isRefusal = IamTokensError.is(error) && error.code === "ERR_IDENTITY_TOKEN_UNAVAILABLE";
      if (isRefusal && !passes) rejections.note(key, () => error);
      throw error;
    }
  }

  /**
   * Cancels operations in progress (ERR_CANCELLED), forgets all tokens, and closes all connections.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const controller of this.#underWay) controller.abort();
    this.#tokens.clear();
    this.#signIns.clear();
    this.#memory.clear();
    await this.#tools.transport.close();
  }

  async #revokeOne(
    { authUrl, token, tls, retryForMs }: RevokeRequest,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Revocation> {
    const request = revokeRequest(authUrl, token);
    const wanted = { request, ...defined({ tls }), wantsBody: revokeWantsBody, retryForMs };
    const { outcome, attempts } = await this.#linked(signal, (linked) =>
      this.#sender.send(wanted, linked),
    );
    return interpretRevoke(outcome, request.url, token, this.#tools.limits, attempts);
  }

  /** Refuses what no request can give. Returns the key of the request. */
  #assertPossible(request: IssueRequest, signal: AbortSignal): string {
    this.#assertOpen(signal);
    const key = this.#keyOf(request);
    this.#memory.rejections.assertNone(key);
    return key;
  }

  #keyOf(request: IssueRequest): string {
    return credentialKey(request, this.#memory.processKey);
  }

  #used(timed: TimedToken, key: string, request: IssueRequest): IssuedToken {
    assertLifetime(timed, request);
    this.#journal?.noteUse(key, request);
    return timed.issued;
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

  #isFresh({ receivedAt, signedInAt = receivedAt }: TimedToken): boolean {
    const age = this.#tools.now() - signedInAt;
    return age >= 0 && age < this.#tools.limits.rejectionMemoryMs;
  }

  #assertOpen(signal: AbortSignal): void {
    if (signal.aborted || this.#closed) throw cancelledError();
  }
}

/** @throws ERR_LIFETIME_TOO_SHORT if even a new token had less than the requested lifetime */
function assertLifetime(
  { issued }: TimedToken,
  { minRemainingMs, credential }: IssueRequest,
): void {
  if (minRemainingMs === undefined || issued.remainingMs >= minRemainingMs) return;
  // Rounded down: the two numbers never look equal.
  const lives = formatDuration(Math.floor(issued.remainingMs / 1000) * 1000);
  const end = issued.credentialEndsAt?.toISOString();
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    `A new token of ${issued.authUrl.tokens} lives ${lives}, but min_remaining is ${formatDuration(minRemainingMs)}.${
      end === undefined ? "" : ` The application credential ends at ${end}.`
    }`,
    end === undefined || credential.way !== "application credential"
      ? {}
      : { remedy: "Create another application credential, or give a smaller min_remaining." },
  );
}
