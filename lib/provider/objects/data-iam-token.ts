import type { BlockSchema, DataSource } from "../../plugin/provider";
import { IAM_TOKEN_ARGUMENTS, validateIamToken } from "./iam-token-arguments";
import { IAM_TOKEN_ATTRIBUTES, withIamToken } from "./token-attributes";
import { attempt, warningsOf } from "./token-diagnostics";
import type { IamSession, TokenRequests } from "./token-requests";

const SCHEMA: BlockSchema = {
  description:
    "An IAM token, issued at each plan. It is stored in plan and state, marked as sensitive. Unknown in a plan in which an argument is, or " +
    "in which something changes that it depends on.",
  attributes: { ...IAM_TOKEN_ARGUMENTS, ...IAM_TOKEN_ATTRIBUTES },
};

/** `data "iam_token"`: at each plan, issued or taken from this process's cache. */
export function dataIamToken(requests: TokenRequests): DataSource<IamSession> {
  return {
    schema: SCHEMA,
    validate: validateIamToken,
    read: (config, context) =>
      attempt(config, context, validateIamToken, async () => {
        const { issued } = await requests.obtain(config, context, "state");
        return { state: withIamToken(config, issued), diagnostics: warningsOf(issued) };
      }),
  };
}
