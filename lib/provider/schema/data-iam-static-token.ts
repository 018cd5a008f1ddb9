import type { BlockSchema } from "../../plugin/provider";
import { argument } from "./attribute";
import { STATIC_TOKEN_ARGUMENTS } from "./static-token-arguments";
import { STATIC_TOKEN_ATTRIBUTES } from "./token-attributes";

/** `data "iam_static_token"`. */
export const DATA_IAM_STATIC_TOKEN: BlockSchema = {
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
