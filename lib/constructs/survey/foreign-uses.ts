import type { TerraformStack } from "cdktf";
import type { Finding } from "./finding";
import { foreignLocal, foreignUse } from "./foreign-use";
import type { TokenRecord } from "./registry";
import { type Use, usesIn } from "./uses";

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

/** How cdktf names the outputs by which values of one stack reach another. */
const CARRIER = "cross-stack-output-";

/**
 * Local values that hold a token and are used in another stack: to cdktf they are values as any other. An ephemeral token is
 * refused in every output.
 */
export function foreignLocals(uses: readonly Use[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const { record, attribute, user, local, place } of uses) {
    const carried = place.kind === "output" && user.node.id.startsWith(CARRIER);
    const isToken = attribute === undefined || attribute === "token" || attribute === "headers";
    if (!carried || !isToken || local === undefined || record.ephemeral) continue;
    const { construct } = record;
    found.set(`${construct.node.addr} ${local}`, [construct, foreignLocal(construct, local)]);
  }
  return [...found.values()];
}
