import type { TerraformStack } from "cdktf";
import type { Finding } from "./finding";
import { foreignUse } from "./foreign-use";
import type { TokenRecord } from "./registry";
import { usesIn } from "./uses";

/**
 * Uses of a token in other stacks, for the validation of its own. Another stack is walked only when a reference was resolved
 * there, which cdktf does for all stacks before it validates any.
 */
export function foreignUses(tokens: readonly TokenRecord[]): Finding[] {
  return tokens.flatMap((token) =>
    [...token.foreignStacks].flatMap((stack): Finding[] => {
      const users = usersIn(stack, token);
      return users.length === 0 ? [] : [[token.construct, foreignUse(token.construct, stack, users)]];
    }),
  );
}

/**
 * Takes note of a stack that resolves a reference to a token of another one. The stack that uses it says so too: it may be
 * validated first, and it may have nothing of ours that would be asked.
 */
export function noteForeignUse(token: TokenRecord, stack: TerraformStack): void {
  if (token.foreignStacks.has(stack)) return;
  token.foreignStacks.add(stack);
  stack.node.addValidation({
    validate: () => {
      const users = usersIn(stack, token);
      return users.length === 0 ? [] : [foreignUse(token.construct, stack, users).message];
    },
  });
}

function usersIn(stack: TerraformStack, token: TokenRecord): string[] {
  return [
    ...new Set(
      usesIn(stack, [])
        .filter((use) => use.record === token)
        .map((use) => use.user.node.path),
    ),
  ];
}
