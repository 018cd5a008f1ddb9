import type { BlockSchema } from "../../plugin/provider";
import { argument } from "./attribute";
import { IAM_TOKEN_ARGUMENTS } from "./iam-token-arguments";
import { KEEPERS, ROTATION_ATTRIBUTES } from "./rotation-attributes";
import { IAM_TOKEN_ATTRIBUTES } from "./token-attributes";

/** `resource "iam_token"`. */
export const RESOURCE_IAM_TOKEN: BlockSchema = {
  // Of the layout in the state. What a new version changes is upgraded in
  // objects/resource-iam-token.ts.
  version: 1,
  description:
    "An IAM token that stays the same between applies, and is rotated in place ahead of its expiry. It stands in the state, marked as " +
    "sensitive. Not for provider blocks: in the plan that rotates it, it is unknown.",
  attributes: {
    ...IAM_TOKEN_ARGUMENTS,
    min_remaining: argument(
      "string",
      'How long a token must live at least, as a duration ("2h"), when it is issued and at each plan: with less left it is rotated, also ' +
        "where rotate_when_remaining is smaller.",
    ),
    rotate_when_remaining: argument(
      "string",
      'The token is rotated by the first apply that finds less than this of its life left, as a duration ("12h"); below 24h. By default ' +
        "half of its lifetime.",
    ),
    keepers: KEEPERS,
    ...IAM_TOKEN_ATTRIBUTES,
    ...ROTATION_ATTRIBUTES,
  },
};
