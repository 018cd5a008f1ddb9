import type { BlockSchema } from "../../plugin/provider";
import { IAM_TOKEN_ARGUMENTS } from "./iam-token-arguments";
import { IAM_TOKEN_ATTRIBUTES } from "./token-attributes";

/** `data "iam_token"`. */
export const DATA_IAM_TOKEN: BlockSchema = {
  description:
    "An IAM token, issued at each plan. It stands in plan and state, marked as sensitive.",
  attributes: { ...IAM_TOKEN_ARGUMENTS, ...IAM_TOKEN_ATTRIBUTES },
};
