import { type TerraformElement, TerraformOutput } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import type { Finding, StackRegistry } from "../declarations/registry";
import { namesOf } from "../warnings";
import { listAt } from "./places";

/** cdktf merges outputs of one name, and the last one silently wins: another token's value. */
export function* takenOutputs(
  elements: readonly TerraformElement[],
  { outputs }: StackRegistry,
): Iterable<Finding> {
  const holders = new Map<string, IConstruct[]>();
  for (const element of elements.filter(TerraformOutput.isTerraformOutput))
    listAt(holders, element.friendlyUniqueId).push(element);
  for (const [name, all] of holders) {
    if (all.length === 1) continue;
    const problem = `output.${name} is declared more than once: ${namesOf(all.map(({ node }) => node.path))}.`;
    // Names that only the program declares are not ours to judge.
    for (const { node } of all)
      if (node.scope !== undefined && outputs.includes(node.scope))
        yield [node.scope, new IamTokensError("ERR_OUTPUT_NAME_TAKEN", problem).message];
  }
}
