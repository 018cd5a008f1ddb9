import type { IssuedToken, TlsMaterial } from "../../identity";
import { faultName } from "../../plugin/faults";
import type { Log } from "../../plugin/provider";
import { IamTokensError } from "../../tokens";
import type { IdentityAccess } from "../process/identity-access";
import type { IamSession } from "./token-requests";

/** A token that was issued for a single open, and will be revoked after it. */
interface OwnToken {
  readonly issued: IssuedToken;
  readonly tls: TlsMaterial | undefined;
  readonly session: IamSession;
  readonly log: Log;
  revocation?: Promise<unknown>;
}

/** Below OpenTofu's limit for a close (10 s), so the warning still arrives. */
const REVOCATION_LIMIT_MS = 8_000;

/**
 * The tokens of `revoke_on_close`, by random ids, only in memory. Each is revoked once: by Close,
 * or by the end of its session.
 */
export class OwnTokens {
  readonly #tokens = new Map<string, OwnToken>();

  /**
   * @param newId makes an id that nobody can guess
   * @param deadline a signal that is aborted after this many milliseconds. Not the operation's
   * signal: StopProvider aborts that at the moment when there is something to revoke.
   */
  constructor(
    private readonly identity: IdentityAccess,
    private readonly newId: () => string,
    private readonly deadline: (milliseconds: number) => AbortSignal = AbortSignal.timeout,
  ) {}

  /**
   * Keeps a token until it is revoked, and returns its id. If the operation has been cancelled, the
   * token is revoked at once: Terraform does not close what it no longer waits for.
   *
   * @throws ERR_CANCELLED
   */
  async keep(token: OwnToken, signal: AbortSignal): Promise<string> {
    const id = this.newId();
    this.#tokens.set(id, token);
    if (!signal.aborted) return id;
    await this.#revokeQuietly(id, token.log);
    throw new IamTokensError(
      "ERR_CANCELLED",
      "Terraform cancelled the operation while the token was being issued.",
    );
  }

  /** Revokes the token with this id, if there is one. Rejects if the service does not revoke it. */
  async revoke(id: string): Promise<void> {
    const token = this.#tokens.get(id);
    if (token === undefined) return;
    token.revocation ??= this.#start(id, token);
    await token.revocation;
  }

  /** Revokes all tokens of a session. Never rejects: errors only go to the log. */
  async revokeAllOf(session: IamSession): Promise<void> {
    const own = [...this.#tokens].filter(([, token]) => token.session === session);
    await Promise.all(own.map(([id, token]) => this.#revokeQuietly(id, token.log)));
  }

  #start(id: string, { issued: { authUrl, token }, tls, log }: OwnToken): Promise<unknown> {
    const request = { authUrl, token, tls };
    return (
      this.identity
        .client(log)
        .revoke(request, this.deadline(REVOCATION_LIMIT_MS))
        // One attempt, whatever its result: a later call finds nothing to revoke.
        .finally(() => this.#tokens.delete(id))
    );
  }

  async #revokeQuietly(id: string, log: Log): Promise<void> {
    try {
      await this.revoke(id);
    } catch (error) {
      log("warn", "a token could not be revoked", {
        reason: IamTokensError.is(error) ? error.code : faultName(error),
      });
    }
  }
}
