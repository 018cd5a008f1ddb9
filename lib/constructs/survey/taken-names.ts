import { type TerraformElement, TerraformOutput } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import { type Finding, isThere, type StackRegistry } from "../declarations/registry";
import { detailsVariable, hasDetails, isVariableOfProgram } from "../declarations/variables";
import { namesOf } from "../warnings";
import { listAt } from "./places";

/** cdktf merges what has one name, and the last one silently wins: a token of another scope. */
export function* takenNames(
  elements: readonly TerraformElement[],
  { tokens, rotations, identities, constructs }: StackRegistry,
): Iterable<Finding> {
  const ours = new Set(constructs.filter(isThere));
  const holders = new Map<string, IConstruct[]>();
  const hold = (address: string, construct: IConstruct) => listAt(holders, address).push(construct);
  for (const { construct, address } of rotations)
    if (ours.has(construct)) hold(address(), construct);
  for (const { construct, configuration } of identities)
    if (ours.has(construct)) hold(`provider ${configuration}`, construct);
  for (const token of tokens.filter(({ construct }) => ours.has(construct))) {
    hold(token.address(), token.construct);
    if (token.resolution === "synth" && hasDetails(token))
      hold(`var.${detailsVariable(token.terraformName())}`, token.construct);
  }
  for (const element of elements)
    if (TerraformOutput.isTerraformOutput(element))
      hold(`output.${element.friendlyUniqueId}`, element);
    else if (isVariableOfProgram(element)) hold(`var.${element.friendlyUniqueId}`, element);
  for (const [name, all] of holders) {
    if (all.length === 1) continue;
    const code = name.startsWith("output.") ? "ERR_OUTPUT_NAME_TAKEN" : "ERR_NAME_TAKEN";
    const problem = `${name} is declared more than once: ${namesOf(all.map(({ node }) => node.path))}.`;
    // Names that only the program declares are not ours to judge.
    for (const { node } of all)
      for (const owner of node.scopes)
        if (ours.has(owner)) yield [owner, new IamTokensError(code, problem).message];
  }
}
