import { assertIdentityToken } from "../tokens";
import { revokeToken } from "./by-itself";
import { RecentMap } from "./cache/recent-map";
import type { FederatedCredential, IssueRequest, SignedIn } from "./credential";
import { interpretSignIn } from "./interpret/sign-in-answer";
import { isReusable, remainingAt, type TimedToken, type UnscopedToken } from "./issued-token";
import { isWithin } from "./limits";
import { signInRequest } from "./requests";
import type { Sender } from "./retry/sender";
import type { UsageJournal } from "./usage-journal";
import type { CredentialMemory } from "./waiting/credential-memory";
import { Flights } from "./waiting/flights";

/** A request with an identity token. */
type FederatedRequest = IssueRequest & { readonly credential: FederatedCredential };

/** Issues a token by an unscoped one; undefined if the service does not know that. */
type Issue = (proof: SignedIn) => Promise<TimedToken | undefined>;

/**
 * Signs in with identity tokens. One unscoped token in memory serves all scopes while it lives long
 * enough.
 */
export class SignIns {
  readonly #flights = new Flights<UnscopedToken>();
  readonly #known: RecentMap<UnscopedToken>;

  constructor(
    private readonly sender: Sender,
    private readonly memory: CredentialMemory,
    private readonly journal: UsageJournal | undefined,
  ) {
    this.#known = new RecentMap(sender.tools.limits.cacheEntries);
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
    const key = this.memory.keys.ofSignIn(request);
    for (let tries = 0; tries < 2; tries++) {
      const unscoped = await this.#shared(key, request, signal);
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
    const { credential, tls } = request;
    const unscoped = await this.#signIn(request, signal);
    const revoke = () => {
      const wanted = { authUrl: credential.authUrl, token: unscoped.token, tls };
      return revokeToken(wanted, this.sender, new AbortController().signal).then(
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
    this.#known.clear();
  }

  /** A known sign-in, or a new one, which all who need it now share. */
  async #shared(
    key: string,
    request: FederatedRequest,
    signal: AbortSignal,
  ): Promise<UnscopedToken> {
    const { limits, now } = this.sender.tools;
    const { minRemainingMs } = request;
    const signIn = () => this.#flights.join(key, (shared) => this.#signIn(request, shared), signal);
    const known = this.#known.get(key);
    if (known === undefined) return signIn();
    const left = () => remainingAt(known, now());
    const isNew = left() > 0 && isWithin(limits.freshMs, known.receivedAt, now());
    if (isNew || isReusable(known, minRemainingMs, now(), limits)) return known;
    try {
      return await signIn();
    } catch (error) {
      // A job's identity token may be over long before the token of its sign-in.
      if (left() < (minRemainingMs ?? 1)) throw error;
      return known;
    }
  }

  async #signIn(request: FederatedRequest, signal: AbortSignal): Promise<UnscopedToken> {
    const { sender, memory } = this;
    const { credential } = request;
    const identityToken = await sender.untilClosed(signal, credential.readToken);
    assertIdentityToken(identityToken, credential.origin);
    // By the token: one that was refused may have been renewed since.
    const key = memory.keys.ofSignIn(request, identityToken);
    const tried = { key, login: key };
    return memory.run(tried, signal, async () => {
      const wire = signInRequest(credential, identityToken);
      const exchanged = await sender.send(wire, request, signal);
      this.journal?.noteRequest(exchanged);
      return memory.judge(tried, () => interpretSignIn(exchanged, credential));
    });
  }
}

function proofOf(
  { place, readToken, ...who }: FederatedCredential,
  { token: secret }: UnscopedToken,
): SignedIn {
  return { ...who, secret };
}
