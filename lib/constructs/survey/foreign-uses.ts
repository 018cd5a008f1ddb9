import type { TerraformStack } from "cdktf";
import { IamTokensError } from "../../tokens";
import type { Finding } from "./finding";
import type { TokenRecord } from "./registry";
import { usesIn } from "./uses";

/**
 * Uses of a token in another stack. A token cannot go there: an ephemeral one is nowhere, and any other would stand in two states.
 * The other stack is walked only when a reference was resolved there, which cdktf does for all stacks before it validates any.
 */
export function foreignUses(tokens: readonly TokenRecord[]): Finding[] {
  return tokens.flatMap((token) =>
    [...token.foreignStacks].map((stack): Finding => {
      const users = usersIn(stack, token);
      return [
        token.construct,
        new IamTokensError("ERR_OTHER_STACK", `The token is used in another stack, ${stack.node.path}, by ${users.join(", ")}.`, {
          remedy: `Declare an IdentityService and the token in the stack ${stack.node.path} too; they share one request where it can be shared.`,
        }),
      ];
    }),
  );
}

function usersIn(stack: TerraformStack, token: TokenRecord): string[] {
  const paths = usesIn(stack)
    .filter((use) => use.reference.record === token)
    .map((use) => use.user.node.path);
  return paths.length === 0 ? ["an element that is no longer there"] : [...new Set(paths)];
}
