import type { BlockSchema, DataSource, Diagnostic } from "../../plugin/provider";
import { argument } from "../configuration/attribute";
import type { Surroundings } from "../process/surroundings";
import { lookUp, STATIC_TOKEN_ARGUMENTS, validateStaticToken } from "./static-token";
import { STATIC_TOKEN_ATTRIBUTES } from "./token-attributes";
import type { IamSession } from "./token-source";

const SCHEMA: BlockSchema = {
  description:
    "A static token, looked up at each plan. It stands in plan and state: full access that never ends.",
  attributes: {
    ...STATIC_TOKEN_ARGUMENTS,
    accept_in_state: argument(
      "bool",
      "true says that the token may stand in plan and state, and silences the warning. By default each read warns.",
    ),
    ...STATIC_TOKEN_ATTRIBUTES,
  },
};

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
    schema: SCHEMA,
    validate: validateStaticToken,
    async read(config) {
      const { result: state, diagnostics } = await lookUp(config, surroundings);
      if (state === undefined) return { diagnostics: diagnostics ?? [] };
      return { state, diagnostics: config.accept_in_state === true ? [] : [IN_STATE] };
    },
  };
}
