import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";

/**
 * A token that is used in another stack than its own. It cannot go there: an ephemeral one is
 * nowhere, and any other would stand in the states of both.
 *
 * @param users paths of what uses it there, as far as they are known
 */
export function foreignUse(
  token: IConstruct,
  stack: TerraformStack,
  users: readonly string[] = [],
): IamTokensError {
  const by = users.length === 0 ? "" : `, by ${users.join(", ")}`;
  // Stacks of two apps may well have the same name.
  const where = token.node.root === stack.node.root ? "another stack" : "a stack of another app";
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in ${where}, ${stack.node.path}${by}. Its value would have to go through a state.`,
    {
      remedy: `Use what its reopenIn(…) gives for the stack ${stack.node.path}: the same token, declared there.`,
    },
  );
}

/**
 * A token that cdktf would carry to another stack, in an output of this one.
 *
 * @param local the local value that holds it; undefined for a reference that somebody wrote by hand
 */
export function carriedUse(token: IConstruct, local: string | undefined): IamTokensError {
  const through =
    local === undefined ? "by a reference written by hand" : `through the local value ${local}`;
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in another stack, ${through}. Its value would go there in an output, by way of the state.`,
    {
      remedy:
        "Use in that stack what the token's reopenIn gives for it: the same token, declared there.",
    },
  );
}
