import { Manifest, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";

/** The stacks of a program by id, and which of them have asked. */
interface Stacks {
  readonly byId: ReadonlyMap<string, readonly TerraformStack[]>;
  readonly asked: Set<TerraformStack>;
}

const known = new WeakMap<IConstruct, Stacks>();

/**
 * A stack whose folder is that of another one, too: cdktf names it by the id alone, whatever the
 * stack is in, and says nothing. The configuration of the last one would stand beside the tokens
 * and the lock file of both.
 */
export function sharedFolder(stack: TerraformStack): IamTokensError | undefined {
  const others = (stacksOf(stack).byId.get(stack.node.id) ?? []).filter((other) => other !== stack);
  if (others.length === 0) return undefined;
  return new IamTokensError(
    "ERR_STACK_FOLDER_TAKEN",
    `The stack ${stack.node.path} has the id of ${others.map((other) => other.node.path).join(", ")}: all are written into ` +
      `${Manifest.stacksFolder}/${stack.node.id}, and the last would take the place of the others.`,
  );
}

/**
 * The whole program is walked once for all its stacks, and again when a stack asks that has asked
 * before: others may have come.
 */
function stacksOf(stack: TerraformStack): Stacks {
  const { root } = stack.node;
  let stacks = known.get(root);
  if (stacks === undefined || stacks.asked.has(stack)) {
    const byId = new Map<string, TerraformStack[]>();
    for (const each of root.node.findAll().filter(TerraformStack.isStack)) {
      byId.set(each.node.id, [...(byId.get(each.node.id) ?? []), each]);
    }
    stacks = { byId, asked: new Set() };
    known.set(root, stacks);
  }
  stacks.asked.add(stack);
  return stacks;
}
