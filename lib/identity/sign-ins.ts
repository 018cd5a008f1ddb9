import { defined, type Secret } from "../tokens";
import { assertIdentityToken } from "../tokens/identity-token";
import { signInKey } from "./cache/credential-key";
import { RecentMap } from "./cache/recent-map";
import type { FederatedCredential, IssueRequest, SignedIn } from "./credential";
import { interpretSignIn, signInWantsBody } from "./interpret/sign-in-answer";
import { isReusable, remainingAt, type TimedToken, type UnscopedToken } from "./issued-token";
import { signInRequest } from "./requests";
import type { Exchanged, ExchangeRequest, ExchangeTools } from "./retry/exchange";
import type { CredentialMemory } from "./waiting/credential-memory";
import { Flights } from "./waiting/flights";

/** A request with an identity token. */
export type FederatedRequest = IssueRequest & { readonly credential: FederatedCredential };

/** Issues a token by an unscoped one; undefined if the service does not know that. */
type Issue = (proof: SignedIn) => Promise<TimedToken | undefined>;

interface SignInParts {
  readonly send: (
    wanted: ExchangeRequest,
    signal: AbortSignal,
    of: IssueRequest,
  ) => Promise<Exchanged>;
  readonly memory: CredentialMemory;
  readonly tools: Pick<ExchangeTools, "limits" | "now">;
  /** Revokes an unscoped token. */
  readonly revoke: (request: FederatedRequest, unscoped: Secret) => Promise<unknown>;
}

/**
 * Signs in with identity tokens. One unscoped token in memory serves all scopes while it lives long
 * enough.
 */
export class SignIns {
  readonly #flights = new Flights<UnscopedToken>();
  readonly #known: RecentMap<UnscopedToken>;

  constructor(private readonly parts: SignInParts) {
    this.#known = new RecentMap(parts.tools.limits.cacheEntries);
  }

  /**
   * Issues a token by a sign-in that others share. If the service does not know the unscoped token
   * any more, it signs in once more.
   */
  async use(
    request: FederatedRequest,
    signal: AbortSignal,
    issue: Issue,
  ): Promise<TimedToken | undefined> {
    const key = signInKey(request, undefined, this.parts.memory.processKey);
    for (let tries = 0; tries < 2; tries++) {
      const known = this.#known.get(key);
      const unscoped =
        known !== undefined && this.#serves(known, request)
          ? known
          : await this.#flights
              .join(key, (shared) => this.#signIn(request, shared), signal)
              .catch((error: unknown) => {
                // A job's identity token may be over long before the token of its sign-in.
                if (known !== undefined && !signal.aborted && this.#lasts(known, request))
                  return known;
                throw error;
              });
      this.#known.set(key, unscoped);
      const token = await issue(proofOf(request.credential, unscoped));
      if (token !== undefined) return { ...token, signedInAt: unscoped.receivedAt };
      if (this.#known.get(key) === unscoped) this.#known.delete(key);
    }
    return undefined;
  }

  /**
   * Issues a token by a sign-in of its own. Its unscoped token is revoked at once: that does not
   * end the token.
   */
  async useOnce(
    request: FederatedRequest,
    signal: AbortSignal,
    issue: Issue,
  ): Promise<TimedToken | undefined> {
    const unscoped = await this.#signIn(request, signal);
    const revoke = () =>
      this.parts.revoke(request, unscoped.issued.token).then(
        () => true,
        () => false,
      );
    const token = await issue(proofOf(request.credential, unscoped)).catch((error: unknown) => {
      void revoke();
      throw error;
    });
    if ((await revoke()) || token === undefined) return token;
    const { issued } = token;
    const end = unscoped.issued.expiresAt.toISOString();
    const warning = `The unscoped token of the sign-in could not be revoked, and lives until ${end}.`;
    return { ...token, issued: { ...issued, warnings: [...issued.warnings, warning] } };
  }

  clear(): void {
    this.#known.clear();
  }

  /** Whether its tokens live long enough, or as long as those of a new sign-in. */
  #serves(unscoped: UnscopedToken, { minRemainingMs }: IssueRequest): boolean {
    const { limits, now } = this.parts.tools;
    const isFresh = now() - unscoped.receivedAt < limits.freshMs;
    return (
      isReusable(unscoped, minRemainingMs, now(), limits) ||
      (isFresh && remainingAt(unscoped, now()) > 0)
    );
  }

  /** Whether its tokens live as long as they must, however short that is. */
  #lasts(unscoped: UnscopedToken, { minRemainingMs = 1 }: IssueRequest): boolean {
    return remainingAt(unscoped, this.parts.tools.now()) >= minRemainingMs;
  }

  async #signIn(request: FederatedRequest, signal: AbortSignal): Promise<UnscopedToken> {
    const { send, memory, tools } = this.parts;
    const { credential, tls, retryForMs } = request;
    const identityToken = await credential.readToken(signal);
    assertIdentityToken(identityToken, credential.origin);
    // By the token: one that was refused may have been renewed since.
    const key = signInKey(request, identityToken, memory.processKey);
    const tried = { key, login: key };
    return memory.run(tried, signal, async () => {
      const wire = signInRequest(credential, identityToken);
      const wanted = { request: wire, wantsBody: signInWantsBody, retryForMs, ...defined({ tls }) };
      const { outcome, attempts } = await send(wanted, signal, request);
      const context = {
        url: wire.url,
        credential,
        identityToken,
        limits: tools.limits,
        attempts,
      };
      return memory.judge(tried, () => interpretSignIn(outcome, context));
    });
  }
}

function proofOf(
  { place, readToken, ...who }: FederatedCredential,
  unscoped: UnscopedToken,
): SignedIn {
  return { ...who, secret: unscoped.issued.token };
}
