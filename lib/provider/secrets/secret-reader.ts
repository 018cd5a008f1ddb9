import { isWithin, REFUSED_MS } from "../../identity/limits";
import { Flights } from "../../identity/waiting/flights";
import { IamTokensError, ofProcess, type Secret, type Text, words } from "../../tokens";
import type { IdentityAccess } from "../process/identity-access";
import { type ProcessContext, variableOf } from "../process/process-context";
import { assertHeaderSafe, readSecret, secretOfText } from "./read-secret";
import { allowedCommand, secretOfCommand } from "./run-command";
import { identityOf, type Reading, type SecretReference } from "./secret-reference";

interface Kept {
  readonly secret: Secret;
  readonly readAt: number;
  refusedAt?: number;
}

/**
 * Reads the secrets of credentials. Variables and files are read each time. A command runs once for
 * all tokens of a credential, as it may ask a person: its secret is kept until the service refuses
 * it. An identity token, which lives minutes, is requested again after one minute.
 */
export class SecretReader {
  readonly #kept = new Map<string, Kept>();
  readonly #flights = new Flights<Secret>();

  /** @param now milliseconds since 1970 */
  constructor(
    private readonly processContext: ProcessContext,
    readonly identity: IdentityAccess,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @param livesMinutes whether it is an identity token
   * @throws ERR_SECRET_… codes, ERR_COMMAND_FAILED, ERR_COMMAND_NOT_ALLOWED,
   * ERR_IDENTITY_TOKEN_UNAVAILABLE, ERR_CANCELLED
   */
  async read(reference: SecretReference, reading: Reading, livesMinutes: boolean): Promise<Secret> {
    const { origin } = reference;
    switch (reference.kind) {
      case "command": {
        const command = allowedCommand(reference, this.processContext);
        const run = (own: Reading) => secretOfCommand(command, origin, this.processContext, own);
        return this.#once(reference, reading, livesMinutes, run);
      }
      case "audience": {
        const ask = (own: Reading) => this.#ask(reference.audience, origin, own);
        return this.#once(reference, reading, livesMinutes, ask);
      }
      default:
        return readSecret(reference, this.processContext);
    }
  }

  async #once(
    reference: SecretReference,
    reading: Reading,
    livesMinutes: boolean,
    get: (reading: Reading) => Promise<Secret>,
  ): Promise<Secret> {
    const key = identityOf(reference);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#isFresh(kept, livesMinutes)) return kept.secret;
    return this.#flights.join(
      key,
      async (signal) => {
        const secret = await get({ ...reading, signal });
        // Once for all who wait: a late one must not forget that the service has refused it.
        this.#kept.set(key, { secret, readAt: this.now() });
        return secret;
      },
      reading.signal,
    );
  }

  /** The service has refused this secret: it is read again, but not at once for each token. */
  refused(reference: SecretReference): void {
    const kept = this.#kept.get(identityOf(reference));
    if (kept !== undefined) kept.refusedAt ??= this.now();
  }

  #isFresh({ readAt, refusedAt }: Kept, livesMinutes: boolean): boolean {
    const since = livesMinutes ? readAt : refusedAt;
    return since === undefined || isWithin(REFUSED_MS, since, this.now());
  }

  /** @see https://docs.github.com/actions/concepts/security/openid-connect */
  async #ask(audience: string, origin: Text, { signal, log }: Reading): Promise<Secret> {
    const { processContext } = this;
    const url = variableOf(processContext, "ACTIONS_ID_TOKEN_REQUEST_URL");
    const place = "ACTIONS_ID_TOKEN_REQUEST_TOKEN";
    const bearer = variableOf(processContext, place);
    if (url === undefined || bearer === undefined)
      throw new IamTokensError(
        "ERR_IDENTITY_TOKEN_UNAVAILABLE",
        words`${origin} asks GitHub Actions for an identity token, but ${ofProcess("ACTIONS_ID_TOKEN_REQUEST_URL")} and ${place} are not set.`,
      );
    const client = this.identity.client(log);
    const secret = secretOfText(ofProcess(place), bearer);
    assertHeaderSafe(ofProcess(place), secret);
    const request = { url, bearer: secret, audience };
    const token = await client.requestIdentityToken(request, signal);
    return secretOfText("The identity token of GitHub Actions", token.reveal());
  }
}
