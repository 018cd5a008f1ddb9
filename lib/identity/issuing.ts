import { cancelledError, IamTokensError, type Secret } from "../tokens";
import type { LoginKeys } from "./cache/credential-key";
import type { IssueRequest, Proof } from "./credential";
import { interpretIssue, isUnscopedGone, unscopedGoneError } from "./interpret/issue-answer";
import { tokenIn } from "./interpret/token-header";
import type { TimedToken } from "./issued-token";
import type { Logins } from "./login";
import { issueRequest } from "./requests";
import { revokeToken } from "./revoke-validate";
import type { Services } from "./service";
import { SignIns } from "./sign-ins";
import { countRequest, type Usage } from "./usage";

/** One token to be issued. */
interface Order {
  readonly request: IssueRequest;
  readonly keys: LoginKeys;
  /** Whether it is one caller's alone. */
  readonly isUnshared: boolean;
}

/** Issues new tokens: signs in where that is a request of its own, and requests the token. */
export class Issuing {
  readonly #signIns: SignIns;

  constructor(
    private readonly services: Services,
    private readonly logins: Logins,
    private readonly usage: Usage,
  ) {
    this.#signIns = new SignIns(services, logins, usage);
  }

  /** @throws the errors of a test of the credential, of the sign-in and of the answer */
  async issue(order: Order, signal: AbortSignal): Promise<TimedToken> {
    const { request, keys, isUnshared } = order;
    const { credential, storedIn, tls } = request;
    const { failures: since } = this.services.at(credential.authUrl.v3, tls);
    const issue = (proof: Proof) => this.#issueBy(proof, order, since, signal);
    const token = await this.logins.run(keys, signal, () => {
      if (credential.way !== "identity token") return issue(credential);
      const federated = { ...request, credential };
      // A token that is kept elsewhere is not closed, and keeps a sign-in that others share.
      return isUnshared && storedIn === undefined
        ? this.#signIns.useOnce(federated, signal, issue)
        : this.#signIns.use(federated, signal, issue);
    });
    if (token === undefined) throw unscopedGoneError(credential.authUrl.tokens);
    return token;
  }

  /** Forgets the sign-ins. */
  clear(): void {
    this.#signIns.clear();
  }

  /** The error by which a new token was refused, after its revocation: nobody else has it. */
  async revokeRefused(
    token: Secret | undefined,
    { credential: { authUrl }, tls }: IssueRequest,
    error: unknown,
  ): Promise<unknown> {
    if (token === undefined || !IamTokensError.is(error)) return error;
    // Not the caller's signal: that may be aborted while there is something to revoke.
    const signal = AbortSignal.timeout(this.services.tools.limits.requestMs);
    return revokeToken({ authUrl, token, tls, outlivesClose: true }, this.services, signal).then(
      () => error,
      () => error.adding("The token could not be revoked, and lives until it expires."),
    );
  }

  /** Undefined if the service does not know the unscoped token. */
  async #issueBy(
    proof: Proof,
    { request, keys, isUnshared }: Order,
    since: number,
    signal: AbortSignal,
  ): Promise<TimedToken | undefined> {
    const { logins, services, usage } = this;
    const { tls, retryForMs, storedIn } = request;
    const how = {
      retryForMs,
      since,
      lingerMs: isUnshared ? services.tools.limits.lingerMs : 0,
      check: () => logins.assertNotRefused(keys),
    };
    const service = services.at(proof.authUrl.v3, tls);
    const exchanged = await service.ask(issueRequest(proof, request.scope), how, signal);
    countRequest(usage, exchanged);
    if (isUnscopedGone(exchanged, proof)) return undefined;
    const wasAccepted = [keys.key, keys.login].some((each) => logins.wasAccepted(each));
    const context = { ...request, credential: proof, wasAccepted };
    try {
      const token = logins.remember(keys, () => interpretIssue(exchanged, context));
      if (isUnshared && services.isClosed) throw cancelledError();
      usage.tokens += 1;
      return token;
    } catch (error) {
      const token = isUnshared || storedIn !== undefined ? tokenIn(exchanged) : undefined;
      throw await this.revokeRefused(token, request, error);
    }
  }
}
