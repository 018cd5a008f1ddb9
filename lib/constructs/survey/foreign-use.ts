import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";

/**
 * A token that is used in another stack than its own. It cannot go there: an ephemeral one is nowhere, and any other would stand
 * in the states of both.
 *
 * @param users paths of what uses it there, as far as they are known
 */
export function foreignUse(token: IConstruct, stack: TerraformStack, users: readonly string[] = []): IamTokensError {
  const by = users.length === 0 ? "" : `, by ${users.join(", ")}`;
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in another stack, ${stack.node.path}${by}. Its value would have to go through a state.`,
    {
      remedy: `Use what its reopenIn(…) gives for the stack ${stack.node.path}: the same token, declared there.`,
    },
  );
}

/** As above, where what is used there is a local value of the token's stack: cdktf carries that there, with the token in it. */
export function foreignLocal(token: IConstruct, local: string): IamTokensError {
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in another stack, through the local value ${local}. Its value would stand in the states of both.`,
  );
}
