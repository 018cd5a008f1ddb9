import { type TerraformElement, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { defined, IamTokensError } from "../../tokens";
import { aliasFrom } from "./block";

/** The original of each copy, by the copy's parent and id. */
const originals = new WeakMap<IConstruct, Map<string, IConstruct>>();

/**
 * Notes that a construct will be reopened below a parent.
 *
 * @returns its id there: a stable name that no construct of the user has, made from the path
 */
export function noteReopening(construct: IConstruct, parent: IConstruct): string {
  const id = nameOf(construct);
  const there = originals.get(parent) ?? new Map();
  originals.set(parent, there.set(id, construct));
  return id;
}

/**
 * The path of a construct as a name in Terraform, which plans print: `network__project`. A path
 * whose name could come from another one gets a hash.
 */
function nameOf({ node: { path, addr } }: IConstruct): string {
  const steps = path.split("/");
  const name = aliasFrom(steps.join("__"));
  const isPlain = steps.every((step) => /^[a-z0-9-]+(?:_[a-z0-9-]+)*$/i.test(step));
  return isPlain ? name : `${name}_${addr.slice(-8)}`;
}

/** The construct that the program declared. A copy of a copy has the first original. */
export function originOf(construct: IConstruct): IConstruct {
  const { scope, id } = construct.node;
  return (scope && originals.get(scope)?.get(id)) ?? construct;
}

/** The name in Terraform of a reopened construct; undefined for other constructs. */
export function reopenedName(construct: IConstruct): string | undefined {
  return originOf(construct) === construct ? undefined : construct.node.id;
}

/** Gives that name to an element of a construct, if the construct is reopened. */
export function nameReopened(element: TerraformElement, construct: Construct): void {
  const name = reopenedName(construct);
  if (name !== undefined) element.overrideLogicalId(name);
}

/** Refuses a construct from another stack. */
export function assertSameStack(
  what: string,
  given: IConstruct,
  user: IConstruct,
  remedy?: string,
): void {
  const owner = TerraformStack.of(given);
  if (owner === TerraformStack.of(user)) return;
  const problem = `The ${what} ${given.node.path} belongs to the stack ${owner.node.path}.`;
  throw new IamTokensError("ERR_OTHER_STACK", problem, defined({ remedy }));
}
