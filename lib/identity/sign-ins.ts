import { assertIdentityToken } from "../tokens";
import { Cache } from "./cache/cache";
import { sameFor } from "./cache/credential-key";
import type { FederatedCredential, IssueRequest, SignedIn } from "./credential";
import { interpretSignIn } from "./interpret/sign-in-answer";
import { isReusable, remainingAt, type TimedToken, type UnscopedToken } from "./issued-token";
import { isWithin } from "./limits";
import type { Logins } from "./login";
import { signInRequest } from "./requests";
import { revokeToken } from "./revoke-validate";
import type { Services } from "./service";
import { countRequest, type Usage } from "./usage";

/** A request with an identity token. */
type FederatedRequest = IssueRequest & { readonly credential: FederatedCredential };

/** Issues a token by an unscoped one; undefined if the service does not know that. */
type Issue = (proof: SignedIn) => Promise<TimedToken | undefined>;

/**
 * Signs in with identity tokens. One unscoped token in memory serves all scopes while it lives long
 * enough.
 */
export class SignIns {
  readonly #cache: Cache<UnscopedToken>;

  constructor(
    private readonly services: Services,
    private readonly logins: Logins,
    private readonly usage: Usage,
  ) {
    const { limits, clock } = services.tools;
    this.#cache = new Cache(limits.cacheEntries, clock);
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
    const key = this.logins.keys.ofSignIn(request);
    for (let tries = 0; tries < 2; tries++) {
      const unscoped = await this.#shared(key, request, signal);
      const token = await issue(proofOf(request.credential, unscoped));
      if (token !== undefined) return { ...token, signedInAt: unscoped.receivedAt };
      if (this.#cache.find(key)?.value === unscoped) this.#cache.delete(key);
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
    const { credential, tls } = request;
    const { lingerMs } = this.services.tools.limits;
    const unscoped = await this.#signIn(request, signal, lingerMs);
    const revoke = () => {
      const wanted = {
        authUrl: credential.authUrl,
        token: unscoped.token,
        tls,
        outlivesClose: true,
      };
      return revokeToken(wanted, this.services, new AbortController().signal).then(
        () => true,
        () => false,
      );
    };
    const token = await issue(proofOf(credential, unscoped)).catch((error: unknown) => {
      void revoke();
      throw error;
    });
    if ((await revoke()) || token === undefined) return token;
    const end = unscoped.expiresAt.toISOString();
    const warning = `The unscoped token of the sign-in could not be revoked, and lives until ${end}.`;
    return { ...token, warnings: [...token.warnings, warning] };
  }

  clear(): void {
    this.#cache.clear();
  }

  /** A known sign-in, or a new one, which all who need it now share. */
  async #shared(
    key: string,
    request: FederatedRequest,
    signal: AbortSignal,
  ): Promise<UnscopedToken> {
    const { limits, now } = this.services.tools;
    const { minRemainingMs } = request;
    const known = this.#cache.find(key)?.value;
    const left = () => (known === undefined ? 0 : remainingAt(known, now()));
    const isGood = (token: UnscopedToken) =>
      isReusable(token, minRemainingMs, now(), limits) ||
      (remainingAt(token, now()) > 0 && isWithin(limits.freshMs, token.receivedAt, now()));
    const ask = (shared: AbortSignal) => this.#signIn(request, shared);
    try {
      return await this.#cache.get(key, isGood, ask, signal);
    } catch (error) {
      // A job's identity token may be over long before the token of its sign-in.
      if (known === undefined || left() < (minRemainingMs ?? 1)) throw error;
      return known;
    }
  }

  async #signIn(
    request: FederatedRequest,
    signal: AbortSignal,
    lingerMs = 0,
  ): Promise<UnscopedToken> {
    const { services, logins } = this;
    const { credential, tls, retryForMs } = request;
    const service = services.at(credential.authUrl.v3, tls);
    const { failures: since } = service;
    const identityToken = await services.untilClosed(signal, credential.readToken);
    assertIdentityToken(identityToken, credential.origin);
    // By the token: one that was refused may have been renewed since.
    const keys = sameFor(logins.keys.ofSignIn(request, identityToken));
    const check = () => logins.assertNotRefused(keys);
    const how = { retryForMs, since, lingerMs, check };
    return logins.run(keys, signal, async () => {
      const exchanged = await service.ask(signInRequest(credential, identityToken), how, signal);
      countRequest(this.usage, exchanged);
      return logins.remember(keys, () => interpretSignIn(exchanged, credential));
    });
  }
}

function proofOf(
  { place, readToken, ...who }: FederatedCredential,
  { token: secret }: UnscopedToken,
): SignedIn {
  return { ...who, secret };
}
