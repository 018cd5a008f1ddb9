import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { noteReopening, originOf } from "./blocks/reopening";
import { EmbeddedProvider } from "./embedded-provider";
import { withPath } from "./values/checks";
import { assertKind, kind } from "./values/props";

const STACK = kind("a TerraformStack", TerraformStack.isStack);

/**
 * The same declaration in another stack, below its embedded provider: declared by the first call,
 * returned by further ones. For its own stack, the construct itself.
 *
 * @param declare declares it, as a construct with this scope and id
 */
export function reopen<T extends Construct>(
  construct: T,
  stack: TerraformStack,
  declare: (scope: Construct, id: string) => T,
): T {
  const origin = originOf(construct);
  withPath(construct, () => assertKind("The argument of reopenIn", stack, STACK));
  if (TerraformStack.of(origin) === stack) return origin as T;
  const parent = EmbeddedProvider.of(stack);
  const id = noteReopening(origin, parent);
  // A result of `declare`, which has the original's class.
  return (parent.node.tryFindChild(id) as T | undefined) ?? declare(parent, id);
}
