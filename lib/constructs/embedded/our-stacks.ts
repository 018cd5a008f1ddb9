import { join } from "node:path";
import { type ISynthesisSession, Manifest, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { sweepValues } from "../../delivery/values";

/** Marks an embedded provider, for all copies of the package in a program. */
export const EMBEDDED = Symbol.for("cdktf-iam-tokens/EmbeddedProvider");

/** The stacks of an app that have an embedded provider. */
export function stacksOfOurs(root: IConstruct): TerraformStack[] {
  return root.node
    .findAll()
    .filter(TerraformStack.isStack)
    .filter((stack) => stack.node.children.some((child) => EMBEDDED in child));
}

/** Removes the values of all other stacks in an output folder. */
export function sweepOtherValues(outdir: string, holders: readonly TerraformStack[]): void {
  const ids = holders.map((stack) => stack.node.id);
  sweepValues(join(outdir, Manifest.stacksFolder), ids);
}

const seen = new WeakSet<ISynthesisSession>();

/** Whether this is our first stack in a synthesis. */
export function isFirst(session: ISynthesisSession): boolean {
  if (seen.has(session)) return false;
  seen.add(session);
  return true;
}
