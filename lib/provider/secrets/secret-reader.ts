import { Cache } from "../../identity/cache/cache";
import {
  IamTokensError,
  monotonicNow,
  ofProcess,
  type Secret,
  type Text,
  words,
} from "../../tokens";
import type { IdentityAccess } from "../process/identity-access";
import { type ProcessContext, variableOf } from "../process/process-context";
import { assertHeaderSafe, readSecret, secretOfText } from "./read-secret";
import { allowedCommand, secretOfCommand } from "./run-command";
import { identityOf, type Reading, type SecretReference } from "./secret-reference";

interface Kept {
  readonly secret: Secret;
  refusedAt?: number;
}

/** After this time an identity token, or a secret that the service has refused, is read again. */
const AGAIN_MS = 60_000;
/** Far more places than a configuration has. */
const PLACES = 1_024;

/**
 * Reads the secrets of credentials. Variables and files are read each time. A command runs once for
 * all tokens of a credential, as it may ask a person: its secret is kept until the service refuses
 * it. An identity token, which lives minutes, is requested again after one minute.
 */
export class SecretReader {
  readonly #kept: Cache<Kept>;

  /** @param clock milliseconds of a clock that nobody sets */
  constructor(
    private readonly processContext: ProcessContext,
    readonly identity: IdentityAccess,
    private readonly clock: () => number = monotonicNow,
  ) {
    this.#kept = new Cache(PLACES, clock);
  }

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
        const ask = (own: Reading) => this.#ask(reference.place, origin, own);
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
    const isGood = ({ refusedAt }: Kept, ageMs: number) =>
      (livesMinutes ? ageMs : this.clock() - (refusedAt ?? this.clock())) < AGAIN_MS;
    const ask = async (signal: AbortSignal) => ({ secret: await get({ ...reading, signal }) });
    return (await this.#kept.get(identityOf(reference), isGood, ask, reading.signal)).secret;
  }

  /** The service has refused this secret: it is read again, but not at once for each token. */
  refused(reference: SecretReference): void {
    const kept = this.#kept.find(identityOf(reference))?.value;
    if (kept !== undefined) kept.refusedAt ??= this.clock();
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
    const secret = secretOfText(ofProcess(place), bearer);
    assertHeaderSafe(ofProcess(place), secret);
    const request = { url, bearer: secret, audience };
    const token = await this.identity.requestFromGitHub(request, signal, log);
    return secretOfText("The identity token of GitHub Actions", token.reveal());
  }
}
