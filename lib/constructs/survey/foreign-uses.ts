import type { TerraformStack } from "cdktf";
import type { Finding } from "./finding";
import { carriedUse, foreignUse } from "./foreign-use";
import type { TokenRecord } from "./registry";
import { type Use, usesIn } from "./uses";

/**
 * Uses of a token in other stacks, for the validation of its own. Another stack is walked only when
 * a reference was resolved there, which cdktf does for all stacks before it validates any.
 */
export function foreignUses(tokens: readonly TokenRecord[]): Finding[] {
  return tokens.flatMap((token) =>
    [...token.foreignStacks].flatMap((stack): Finding[] => {
      const users = usersIn(stack, token);
      return users.length === 0
        ? []
        : [[token.construct, foreignUse(token.construct, stack, users)]];
    }),
  );
}

/** How cdktf names the outputs by which values of one stack reach another. */
const CARRIER = "cross-stack-output-";

/**
 * Whether cdktf would carry the token to another stack: in a local value that holds it, or by a
 * reference that somebody wrote by hand. To cdktf these are values as any other; our own references
 * never get there. What is known of a `data` token beside itself may.
 */
export function isCarriedElsewhere({ record, attribute, user, place, nulled }: Use): boolean {
  const isToken = attribute === undefined || attribute === "token" || attribute === "headers";
  return (
    place.kind === "output" &&
    user.node.id.startsWith(CARRIER) &&
    !nulled &&
    (record.ephemeral || isToken)
  );
}

/** Uses of a token in other stacks by what cdktf carries there, each said once. */
export function carriedUses(uses: readonly Use[]): Finding[] {
  const byMessage = new Map(
    uses.map(({ record, local }): [string, Finding] => {
      const mistake = carriedUse(record.construct, local);
      return [mistake.message, [record.construct, mistake]];
    }),
  );
  return [...byMessage.values()];
}

/**
 * Takes note of a stack that resolves a reference to a token of another one. The stack that uses it
 * says so too: it may be validated first, and it may have nothing of ours that would be asked.
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
