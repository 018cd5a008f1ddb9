import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import type { Finding, TokenRecord } from "../blocks/registry";
import { foreignUse } from "../blocks/token-reference";
import { elementsOf, type Use, usesIn } from "./uses";

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

/** What a stack says of a token of another one that is used in it. */
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
 * A token that cdktf would carry to another stack, in an output of this one.
 *
 * @param local the local value that holds it; undefined for a reference that somebody wrote by hand
 */
function carriedUse(token: IConstruct, local: string | undefined): IamTokensError {
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
