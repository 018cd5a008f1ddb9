import type { CtyObject } from "../../plugin/cty/value";
import { toRfc3339 } from "../../tokens";
import { toWarning, warning } from "../configuration/diagnostics";
import type { Verified } from "./rotating-resource";
import { issuerOf, sendable } from "./stored-token";
import { forReader } from "./token-diagnostics";
import type { IamContext, TokenRequests } from "./token-requests";

const GONE = warning(
  "The service refuses a stored token",
  "It was revoked, or its user's password was changed. It counts as expired, so a plan rotates it.",
);

/** Asks the service whether it still knows the token in a state, if the state says so. */
export type VerifyStored = (state: CtyObject, context: IamContext) => Promise<Verified>;

/**
 * Asks the service whether it still knows a stored token, by the token itself. Only a refresh asks,
 * once, and nothing that it hears or does not hear is an error.
 *
 * @param now milliseconds since 1970
 */
export function createVerifyStored(requests: TokenRequests, now: () => number): VerifyStored {
  return async (state, context) => {
    const token = sendable(state.token);
    // Without a token it is due anyway.
    if (state.verify_at_refresh !== true || token === undefined) return {};
    try {
      const validation = await requests.validate({ authUrl: issuerOf(state), token }, context);
      if (validation !== "refused") return {};
      // Terraform reports a change outside of it, and a plan with -refresh-only finds one.
      return {
        state: { ...state, expires_at: toRfc3339(now()), rotate_at: null },
        diagnostics: [GONE],
      };
    } catch (error) {
      const unknown = toWarning(
        "Whether the service still knows a stored token could not be verified: nothing changes",
        forReader(context.session, error),
      );
      return { diagnostics: [unknown] };
    }
  };
}
