import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import type { Finding, TokenRecord } from "../declarations/registry";
import { foreignUse } from "../declarations/token-reference";
import { carriesToOtherStacks } from "../framework/internals";
import { containsToken, elementsOf, type Use, usesIn } from "./uses";

/**
 * Uses of a token in other stacks, for the validation of its own. Another stack is walked only if
 * it resolved a reference; cdktf resolves all stacks before it validates any.
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

/**
 * Whether cdktf would carry the token to another stack: in a local value that contains it, or by a
 * reference that somebody wrote by hand. To cdktf these are ordinary values, unlike our own
 * references. Properties of a `data` token may be carried.
 */
export function isCarriedElsewhere(use: Use): boolean {
  return (
    carriesToOtherStacks(use.user) && !use.nulled && (use.record.ephemeral || containsToken(use))
  );
}

/** Uses of a token in other stacks by values that cdktf carries there, each reported once. */
export function carriedUses(uses: readonly Use[]): Finding[] {
  const byMessage = new Map(
    uses.map(({ record, local }): [string, Finding] => {
      const mistake = carriedUse(record.construct, local);
      return [mistake.message, [record.construct, mistake]];
    }),
  );
  return [...byMessage.values()];
}

/** Errors for uses of another stack's token in a stack. */
export function foreignUsesIn(stack: TerraformStack, token: TokenRecord): readonly string[] {
  const users = usersIn(stack, token);
  return users.length === 0 ? [] : [foreignUse(token.construct, stack, users).message];
}

function usersIn(stack: TerraformStack, token: TokenRecord): string[] {
  return [
    ...new Set(
      usesIn(stack, elementsOf(stack), [])
        .filter((use) => use.record === token)
        .map((use) => use.user.node.path),
    ),
  ];
}

/**
 * Error of a token that cdktf would carry to another stack, in an output of this one.
 *
 * @param local the local value that contains it; undefined for a reference written by hand
 */
function carriedUse(token: IConstruct, local: string | undefined): IamTokensError {
  const through =
    local === undefined ? "by a reference written by hand" : `through the local value ${local}`;
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in another stack, ${through}. Its value would get there in an output, through the state.`,
  );
}
