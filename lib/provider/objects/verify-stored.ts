import type { Validation } from "../../identity";
import { Flights } from "../../identity/waiting/flights";
import type { CtyObject } from "../../plugin/cty/value";
import type { Diagnostic, OperationContext } from "../../plugin/provider";
import { IamTokensError, parseAuthUrl } from "../../tokens";
import { toWarning } from "../configuration/diagnostics";
import { named } from "../wording";
import { sendable } from "./revoke-stored";
import { type IamSession, inWordsOf, type TokenSource } from "./token-source";

/** How long a refresh waits for the answer, the wait for its turn included. */
const ANSWER_LIMIT_MS = 5_000;
/** How long a service that did not answer is not asked again: the next tokens would wait as long. */
const SILENCE_MS = 30_000;

/** What a refresh knows of a stored token: gone, or why that is not known. */
interface Verified {
  readonly isGone: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Asks the service whether it still knows a stored token, by the token itself. Only a refresh asks,
 * once, and nothing that it hears or does not hear is an error.
 */
export class StoredTokens {
  readonly #flights = new Flights<Validation>();
  readonly #silent = new Map<string, { readonly until: number; readonly error: unknown }>();

  /**
   * @param now milliseconds since 1970
   * @param deadline a signal that is aborted after this many milliseconds
   */
  constructor(
    private readonly source: TokenSource,
    private readonly now: () => number,
    private readonly deadline: (milliseconds: number) => AbortSignal = AbortSignal.timeout,
  ) {}

  async verify(state: CtyObject, context: OperationContext<IamSession>): Promise<Verified> {
    const token = sendable(state.token);
    // Without a token it is due anyway.
    if (token === undefined) return { isGone: false, diagnostics: [] };
    try {
      const address = state.auth_url as string;
      const authUrl = named("The token's address in the state", () => parseAuthUrl(address));
      const silent = this.#silent.get(authUrl.v3);
      if (silent !== undefined && this.now() < silent.until) throw silent.error;
      const key = JSON.stringify([authUrl.v3, token.reveal()]);
      const limit = this.deadline(ANSWER_LIMIT_MS);
      const ask = async (shared: AbortSignal) => {
        const signal = AbortSignal.any([shared, limit]);
        const asked = this.source.validate({ authUrl, token }, { ...context, signal });
        return asked.catch((error: unknown) => {
          const failure = limit.aborted ? unansweredError(authUrl.v3) : error;
          if (isSilence(failure))
            this.#silent.set(authUrl.v3, { until: this.now() + SILENCE_MS, error: failure });
          throw failure;
        });
      };
      const validation = await this.#flights.join(key, ask, context.signal);
      return { isGone: validation === "gone", diagnostics: [] };
    } catch (error) {
      const warning = toWarning(
        "Whether the service still knows a stored token could not be verified: nothing changes",
        inWordsOf(context.session, error),
      );
      return { isGone: false, diagnostics: [warning] };
    }
  }
}

function unansweredError(v3: string): IamTokensError {
  return new IamTokensError(
    "ERR_NO_ANSWER",
    `${v3} did not answer within ${ANSWER_LIMIT_MS / 1000} s.`,
  );
}

/** Whether there was no answer at all. */
function isSilence(error: unknown): boolean {
  return (
    IamTokensError.is(error) && ["ERR_CONNECTION_FAILED", "ERR_NO_ANSWER"].includes(error.code)
  );
}
