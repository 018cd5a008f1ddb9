import type { DataSource, Diagnostic } from "../../plugin/provider";
import { flagArgument } from "../argument";
import { pathTo } from "../argument-path";
import { toDiagnostic } from "../diagnostics";
import type { IamSession } from "../iam-session";
import { DATA_IAM_STATIC_TOKEN } from "../schema/data-iam-static-token";
import type { Surroundings } from "../surroundings";
import { toSecretReference, validateStaticToken } from "./static-token-arguments";
import { readStaticToken, toStaticTokenResult } from "./static-token-result";

const IN_STATE: Diagnostic = {
  severity: "warning",
  summary: "A static token stands in plan and state: full access that never ends",
  detail:
    'Use ephemeral "iam_static_token" instead, or say accept_in_state = true when this is meant.',
};

/**
 * `data "iam_static_token"`: looked up at each plan, and from then on in every version of the
 * state.
 */
export function dataIamStaticToken(surroundings: Surroundings): DataSource<IamSession> {
  return {
    schema: DATA_IAM_STATIC_TOKEN,
    validate: validateStaticToken,
    async read(config) {
      const mistakes = validateStaticToken(config);
      if (mistakes.length > 0) return { diagnostics: mistakes };
      const reference = toSecretReference(config);
      try {
        const state = toStaticTokenResult(config, await readStaticToken(reference, surroundings));
        return {
          state,
          diagnostics: flagArgument(config, "accept_in_state") === true ? [] : [IN_STATE],
        };
      } catch (error) {
        return {
          diagnostics: [toDiagnostic(error, pathTo(reference.kind, config[reference.kind]))],
        };
      }
    },
  };
}
