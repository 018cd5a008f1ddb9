import { defined, type Secret } from "../../tokens";
import { assertIdentityToken } from "../../tokens/identity-token";
import { secretKey, signInKey } from "../cache/credential-key";
import { Flights } from "../cache/flights";
import { RecentMap } from "../cache/recent-map";
import { isReusable, remainingAt } from "../cache/remaining";
import type { FederatedCredential, IssueRequest, SignedIn } from "../credential";
import { cancelledError } from "../interpret/fault";
import { interpretSignIn, signInRefusal, signInWantsBody } from "../interpret/sign-in-answer";
import type { TimedToken, UnscopedToken } from "../issued-token";
import { signInRequest } from "../requests";
import type { ExchangeTools } from "../retry/exchange";
import type { CredentialMemory } from "./memory";
import type { Sender } from "./sender";

/** A request with an identity token. */
export type FederatedRequest = IssueRequest & { readonly credential: FederatedCredential };

/** A sign-in that gave an unscoped token. */
interface SignIn {
  readonly key: string;
  readonly unscoped: UnscopedToken;
  /** Own tokens that were made of it, or are being made. */
  holders: number;
  /** It is revoked, or the service does not know it. */
  isOver: boolean;
}

interface SignInParts {
  readonly sender: Sender;
  readonly memory: CredentialMemory;
  readonly tools: Pick<ExchangeTools, "limits" | "now">;
  readonly noteRequest: (request: IssueRequest, tries: number, tookMs: number) => void;
  /** Revokes an unscoped token that nothing was made of. */
  readonly abandon: (request: FederatedRequest, unscoped: Secret) => void;
}

/**
 * Signs in with identity tokens. One unscoped token in memory serves all scopes while it lives long
 * enough; the tokens that are one caller's alone share another one, which is revoked with the last
 * of them. Revoking either does not end the other.
 */
export class SignIns {
  readonly #flights = new Flights<SignIn>();
  readonly #known: RecentMap<SignIn>;
  /** By the digest of an own token. */
  readonly #made: RecentMap<SignIn>;

  constructor(private readonly parts: SignInParts) {
    const { cacheEntries } = parts.tools.limits;
    this.#known = new RecentMap(cacheEntries);
    this.#made = new RecentMap(cacheEntries);
  }

  /**
   * Issues a token by a sign-in, a known or a new one. If the service does not know the unscoped
   * token any more, it signs in once more.
   *
   * @param issue undefined if the service does not know the unscoped token, unless it is the last
   * try
   */
  async use(
    request: FederatedRequest,
    own: boolean,
    signal: AbortSignal,
    issue: (proof: SignedIn, isLast: boolean) => Promise<TimedToken | undefined>,
  ): Promise<TimedToken> {
    // A token in a state is never closed: it would hold the sign-in for good.
    const isHeld = own && request.keptIn !== "state";
    for (let isLast = false; ; isLast = true) {
      const signIn = await this.#signIn(request, isHeld, signal);
      const made = await this.#hold(signIn, isHeld, request, async () => {
        const token = await issue(proofOf(request.credential, signIn), isLast);
        if (token === undefined) this.#end(signIn);
        return token;
      });
      if (made !== undefined) return { ...made, signedInAt: signIn.unscoped.receivedAt };
    }
  }

  /** The unscoped token to revoke with an own token, which was the last one made of it. */
  lastOf(token: Secret): Secret | undefined {
    const key = secretKey(token, this.parts.memory.processKey);
    const signIn = this.#made.get(key);
    if (signIn === undefined) return undefined;
    this.#made.delete(key);
    return this.#release(signIn) ? signIn.unscoped.issued.token : undefined;
  }

  clear(): void {
    this.#known.clear();
    this.#made.clear();
  }

  async #hold(
    signIn: SignIn,
    isHeld: boolean,
    request: FederatedRequest,
    issue: () => Promise<TimedToken | undefined>,
  ): Promise<TimedToken | undefined> {
    if (!isHeld) return issue();
    signIn.holders += 1;
    let made: TimedToken | undefined;
    try {
      made = await issue();
      return made;
    } finally {
      if (made !== undefined)
        this.#made.set(secretKey(made.issued.token, this.parts.memory.processKey), signIn);
      else if (this.#release(signIn)) this.parts.abandon(request, signIn.unscoped.issued.token);
    }
  }

  /** Returns whether it was the last holder of a sign-in, which is over then. */
  #release(signIn: SignIn): boolean {
    signIn.holders -= 1;
    if (signIn.holders > 0 || signIn.isOver) return false;
    this.#end(signIn);
    return true;
  }

  #end(signIn: SignIn): void {
    signIn.isOver = true;
    if (this.#known.get(signIn.key) === signIn) this.#known.delete(signIn.key);
  }

  async #signIn(request: FederatedRequest, isHeld: boolean, signal: AbortSignal): Promise<SignIn> {
    const key = `${signInKey(request, undefined, this.parts.memory.processKey)}/${isHeld ? "own" : "shared"}`;
    for (;;) {
      const known = this.#known.get(key);
      if (known !== undefined && this.#serves(known, request)) return known;
      const start = async (shared: AbortSignal) => {
        const unscoped = await this.#ask(request, shared);
        const signIn = { key, unscoped, holders: 0, isOver: false };
        this.#known.set(key, signIn);
        return signIn;
      };
      const signIn = await this.#flights.join(key, start, signal);
      // The last of its tokens may have been revoked between landing and here.
      if (!signIn.isOver) return signIn;
    }
  }

  /** Whether its tokens live long enough, or as long as those of a new sign-in. */
  #serves({ unscoped }: SignIn, { minRemainingMs }: IssueRequest): boolean {
    const { limits, now } = this.parts.tools;
    const isFresh = now() - unscoped.receivedAt < limits.rejectionMemoryMs;
    return (
      isReusable(unscoped, minRemainingMs, now(), limits) ||
      (isFresh && remainingAt(unscoped, now()) > 0)
    );
  }

  async #ask(request: FederatedRequest, signal: AbortSignal): Promise<UnscopedToken> {
    const { rejections, firstTries, processKey } = this.parts.memory;
    const { credential } = request;
    const identityToken = await credential.readToken(signal);
    if (signal.aborted) throw cancelledError();
    assertIdentityToken(identityToken, credential.origin);
    // By the token: one that was refused may have been renewed since.
    const key = signInKey(request, identityToken, processKey);
    const recheck = () => rejections.assertNone(key);
    recheck();
    return firstTries.run(key, signal, recheck, async () => {
      const unscoped = await this.#send(request, identityToken, key, signal);
      firstTries.accept(key);
      return unscoped;
    });
  }

  async #send(
    request: FederatedRequest,
    identityToken: Secret,
    key: string,
    signal: AbortSignal,
  ): Promise<UnscopedToken> {
    const { sender, tools, memory, noteRequest } = this.parts;
    const { credential, tls, retryForMs } = request;
    const wire = signInRequest(credential, identityToken);
    const { outcome, attempts, tries, tookMs } = await sender.send(
      { request: wire, ...defined({ tls }), wantsBody: signInWantsBody, retryForMs },
      signal,
    );
    noteRequest(request, tries, tookMs);
    const { limits } = tools;
    const context = { url: wire.url, credential, identityToken, limits, attempts };
    const refusal = signInRefusal(outcome, context);
    if (refusal !== undefined) {
      memory.firstTries.reject(key);
      memory.rejections.note(key, () => refusal);
      throw refusal;
    }
    return interpretSignIn(outcome, context);
  }
}

function proofOf(
  { place, readToken, ...who }: FederatedCredential,
  { unscoped }: SignIn,
): SignedIn {
  return { ...who, secret: unscoped.issued.token };
}
