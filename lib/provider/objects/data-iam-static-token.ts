import type { BlockSchema, DataSource, Diagnostic } from "../../plugin/provider";
import { argument } from "../configuration/attribute";
import type { ProcessContext } from "../process/process-context";
import { lookUp, STATIC_TOKEN_ARGUMENTS, validateStaticToken } from "./static-token";
import { STATIC_TOKEN_ATTRIBUTES } from "./token-attributes";
import type { IamSession } from "./token-source";

const SCHEMA: BlockSchema = {
  description:
    "A static token, read at each plan. It is stored in plan and state; it gives full access and never expires.",
  attributes: {
    ...STATIC_TOKEN_ARGUMENTS,
    accept_in_state: argument(
      "bool",
      "true accepts that the token is stored in plan and state, and silences the warning. By default each read warns.",
    ),
    ...STATIC_TOKEN_ATTRIBUTES,
  },
};

const IN_STATE: Diagnostic = {
  severity: "warning",
  summary: "A static token is stored in plan and state: full access that never expires",
  detail: 'Use ephemeral "iam_static_token" instead, or set accept_in_state = true to accept this.',
};

/**
 * `data "iam_static_token"`: read at each plan, and then part of every version of the state.
 */
export function dataIamStaticToken(processContext: ProcessContext): DataSource<IamSession> {
  return {
    schema: SCHEMA,
    validate: validateStaticToken,
    async read(config) {
      const { result: state, diagnostics } = await lookUp(config, processContext);
      if (state === undefined) return { diagnostics: diagnostics ?? [] };
      return { state, diagnostics: config.accept_in_state === true ? [] : [IN_STATE] };
    },
  };
}
