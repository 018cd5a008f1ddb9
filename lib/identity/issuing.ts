import { IamTokensError, type Secret } from "../tokens";
import { revokeToken } from "./by-itself";
import type { Tried } from "./cache/credential-key";
import type { IssueRequest, Proof } from "./credential";
import { interpretIssue, isUnscopedGone, unscopedGoneError } from "./interpret/issue-answer";
import { tokenIn } from "./interpret/token-header";
import { assertLifetime, type TimedToken } from "./issued-token";
import { issueRequest } from "./requests";
import type { Sender } from "./retry/sender";
import { SignIns } from "./sign-ins";
import type { UsageJournal } from "./usage-journal";
import type { CredentialMemory } from "./waiting/credential-memory";

/** One token to be issued. */
interface Order {
  readonly request: IssueRequest;
  readonly tried: Tried;
  /** Whether it is one caller's alone. */
  readonly isOwn: boolean;
}

/** Issues new tokens: signs in where that is a request of its own, and requests the token. */
export class Issuing {
  readonly #signIns: SignIns;

  constructor(
    private readonly sender: Sender,
    private readonly memory: CredentialMemory,
    private readonly journal: UsageJournal | undefined,
  ) {
    this.#signIns = new SignIns(sender, memory, journal);
  }

  /** @throws the errors of a test of the credential, of the sign-in and of the answer */
  async issue(order: Order, signal: AbortSignal): Promise<TimedToken> {
    const { request, tried, isOwn } = order;
    const { credential, keptIn } = request;
    const issue = (proof: Proof) => this.#issueBy(proof, order, signal);
    const token = await this.memory.run(tried, signal, () => {
      if (credential.way !== "identity token") return issue(credential);
      const federated = { ...request, credential };
      // A token in a state is not closed, and keeps a sign-in that others share.
      return isOwn && keptIn !== "state"
        ? this.#signIns.useOnce(federated, signal, issue)
        : this.#signIns.use(federated, signal, issue);
    });
    if (token === undefined) throw unscopedGoneError(credential.authUrl.tokens);
    try {
      // One that is shared is judged by each of those who share it.
      if (isOwn) assertLifetime(token, request);
      return token;
    } catch (error) {
      throw await this.#discarded(token.token, request, error);
    }
  }

  /** Forgets the sign-ins. */
  clear(): void {
    this.#signIns.clear();
  }

  /** Undefined if the service does not know the unscoped token. */
  async #issueBy(
    proof: Proof,
    { request, tried, isOwn }: Order,
    signal: AbortSignal,
  ): Promise<TimedToken | undefined> {
    const wire = issueRequest(proof, request.scope);
    const exchanged = await this.sender.send(wire, request, signal);
    this.journal?.noteRequest(exchanged);
    if (isUnscopedGone(exchanged, proof)) return undefined;
    const wasAccepted = this.memory.wasAccepted(tried.login);
    const context = { ...request, credential: proof, wasAccepted };
    try {
      const token = this.memory.judge(tried, () => interpretIssue(exchanged, context));
      this.journal?.noteIssued();
      return token;
    } catch (error) {
      if (!isOwn && request.keptIn !== "state") throw error;
      throw await this.#discarded(tokenIn(exchanged), request, error);
    }
  }

  /** The error by which a new token was refused, after its revocation: nobody else has it. */
  async #discarded(
    token: Secret | undefined,
    { credential: { authUrl }, tls }: IssueRequest,
    error: unknown,
  ): Promise<unknown> {
    if (token === undefined || !IamTokensError.is(error)) return error;
    // Not the caller's signal: that may be aborted while there is something to revoke.
    const signal = AbortSignal.timeout(this.sender.tools.limits.requestMs);
    return revokeToken({ authUrl, token, tls }, this.sender, signal).then(
      () => error,
      () => error.adding("The token could not be revoked, and lives until it expires."),
    );
  }
}
