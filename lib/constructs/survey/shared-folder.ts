import { Manifest, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";

/** The stacks of a program by the name of their folder, and the stacks that have called. */
interface Stacks {
  readonly byFolder: ReadonlyMap<string, readonly TerraformStack[]>;
  readonly asked: Set<TerraformStack>;
}

const known = new WeakMap<IConstruct, Stacks>();

/**
 * Error of a stack that has the same folder as another one. cdktf silently names the folder by the
 * stack's id alone, whatever contains the stack, and on the disks of macOS and Windows "web" and
 * "Web" are the same. The configuration of the last stack would be next to the tokens and the lock
 * file of both.
 */
export function sharedFolder(stack: TerraformStack): IamTokensError | undefined {
  const sharing = stacksOf(stack).byFolder.get(folderOf(stack)) ?? [];
  const others = sharing.filter((other) => other !== stack);
  if (others.length === 0) return undefined;
  const differing = others.some(({ node }) => node.id !== stack.node.id);
  return new IamTokensError(
    "ERR_STACK_FOLDER_TAKEN",
    `The stack ${stack.node.path} has the id of ${others.map((other) => other.node.path).join(", ")}${differing ? " but for upper and lower case" : ""}: all are written into ` +
      `${Manifest.stacksFolder}/${stack.node.id}, and the last would overwrite the others.`,
  );
}

/** The folder's name, as this system's disks compare names by default. */
function folderOf({ node }: TerraformStack): string {
  return ["darwin", "win32"].includes(process.platform) ? node.id.toLowerCase() : node.id;
}

/**
 * Walks the whole program once for all its stacks, and again when a stack calls for the second
 * time: there may be new stacks.
 */
function stacksOf(stack: TerraformStack): Stacks {
  const { root } = stack.node;
  let stacks = known.get(root);
  if (stacks === undefined || stacks.asked.has(stack)) {
    const byFolder = new Map<string, TerraformStack[]>();
    for (const each of root.node.findAll().filter(TerraformStack.isStack)) {
      const folder = folderOf(each);
      byFolder.set(folder, [...(byFolder.get(folder) ?? []), each]);
    }
    stacks = { byFolder, asked: new Set() };
    known.set(root, stacks);
  }
  stacks.asked.add(stack);
  return stacks;
}
