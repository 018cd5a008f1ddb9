import type { BlockSchema } from "../../plugin/provider";
import { STATIC_TOKEN_ARGUMENTS } from "./static-token-arguments";
import { STATIC_TOKEN_ATTRIBUTES } from "./token-attributes";

/** `ephemeral "iam_static_token"`. */
export const EPHEMERAL_IAM_STATIC_TOKEN: BlockSchema = {
  description: "A static token, looked up when it is needed and never in plan or state.",
  attributes: { ...STATIC_TOKEN_ARGUMENTS, ...STATIC_TOKEN_ATTRIBUTES },
};
