import type { Validation } from "../../identity";
import { SILENCE_MS } from "../../identity/limits";
import { Flights } from "../../identity/waiting/flights";
import type { CtyObject } from "../../plugin/cty/value";
import { IamTokensError, toRfc3339 } from "../../tokens";
import { toWarning } from "../configuration/diagnostics";
import { NOT_ASKED, type Verified } from "./rotating-resource";
import { issuerOf, sendable } from "./stored-token";
import { inWordsOf } from "./token-diagnostics";
import type { IamContext, TokenSource } from "./token-source";

/** How long a refresh waits for the answer, the wait for its turn included. */
const ANSWER_LIMIT_MS = 5_000;

/** Asks the service whether it still knows the token in a state, if the state says so. */
export type VerifyStored = (state: CtyObject, context: IamContext) => Promise<Verified>;

/**
 * Asks the service whether it still knows a stored token, by the token itself. Only a refresh asks,
 * once, and nothing that it hears or does not hear is an error.
 *
 * @param now milliseconds since 1970
 * @param deadline a signal that is aborted after this many milliseconds
 */
export function createVerifyStored(
  source: TokenSource,
  now: () => number,
  deadline: (milliseconds: number) => AbortSignal = AbortSignal.timeout,
): VerifyStored {
  const flights = new Flights<Validation>();
  const silences = new Map<string, { readonly until: number; readonly error: unknown }>();
  return async (state, context) => {
    const token = sendable(state.token);
    // Without a token it is due anyway.
    if (state.verify_at_refresh !== true || token === undefined) return NOT_ASKED;
    const ask = async (): Promise<Validation> => {
      const authUrl = issuerOf(state);
      const { v3 } = authUrl;
      const silence = silences.get(v3);
      if (silence !== undefined && now() < silence.until) throw silence.error;
      const limit = deadline(ANSWER_LIMIT_MS);
      const validate = (shared: AbortSignal) => {
        const signal = AbortSignal.any([shared, limit]);
        return source.validate({ authUrl, token }, { ...context, signal }).catch((error) => {
          const failure = limit.aborted ? unansweredError(v3) : error;
          if (isSilence(failure)) silences.set(v3, { until: now() + SILENCE_MS, error: failure });
          throw failure;
        });
      };
      return flights.join(JSON.stringify([v3, token.reveal()]), validate, context.signal);
    };
    try {
      if ((await ask()) !== "refused") return NOT_ASKED;
      // Terraform reports a change outside of it, and a plan with -refresh-only finds one.
      return { isGone: true, state: { ...state, expires_at: toRfc3339(now()) }, diagnostics: [] };
    } catch (error) {
      const warning = toWarning(
        "Whether the service still knows a stored token could not be verified: nothing changes",
        inWordsOf(context.session, error),
      );
      return { ...NOT_ASKED, diagnostics: [warning] };
    }
  };
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
