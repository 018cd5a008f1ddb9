import type { BlockSchema } from "../../plugin/provider";
import { argument } from "./attribute";
import { IAM_TOKEN_ARGUMENTS } from "./iam-token-arguments";
import { IAM_TOKEN_ATTRIBUTES } from "./token-attributes";

/** `ephemeral "iam_token"`. */
export const EPHEMERAL_IAM_TOKEN: BlockSchema = {
  description: "An IAM token, issued when it is needed and never in plan or state.",
  attributes: {
    ...IAM_TOKEN_ARGUMENTS,
    revoke_on_close: argument(
      "bool",
      "Whether the token is one of its own, shared with nobody, and is revoked as soon as Terraform no longer needs it. By default " +
        "tokens are shared and live until they expire.",
    ),
    ...IAM_TOKEN_ATTRIBUTES,
  },
};
