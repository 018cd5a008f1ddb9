import { type TerraformElement, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { defined, IamTokensError } from "../../tokens";
import { checkedFor, quoted } from "../values/checks";
import { aliasFrom } from "./block";

/** The parents of reopened constructs, one in each stack. */
const homes = new WeakSet<IConstruct>();
const origins = new WeakMap<IConstruct, Construct>();

/**
 * The same declaration in another stack: declared by the first call, returned by further ones. For
 * its own stack, the construct itself.
 *
 * It is below the stack's embedded provider, under a stable name that no construct of the user has:
 * the path of the original.
 *
 * @param home parent of all reopened constructs of a stack
 * @param declare declares it, as a construct with this scope and id
 */
export function reopen<T extends Construct>(
  construct: T,
  stack: TerraformStack,
  home: (stack: TerraformStack) => Construct,
  declare: (scope: Construct, id: string) => T,
): T {
  const origin = originOf(construct);
  checkedFor(construct, () => {
    if (TerraformStack.isStack(stack)) return;
    const problem = `reopenIn was given ${quoted(stack)}.`;
    throw new IamTokensError("ERR_PROP_INVALID", problem, { allowed: "a TerraformStack" });
  });
  if (TerraformStack.of(origin) === stack) return origin;
  const parent = home(stack);
  homes.add(parent);
  const id = nameOf(origin);
  const there = parent.node.tryFindChild(id) ?? declare(parent, id);
  origins.set(there, origin);
  // A result of `declare`, which has the original's class.
  return there as T;
}

/**
 * The path of a construct as a name in Terraform, which plans print: `network__project`. A path
 * whose name could come from another one gets a hash.
 */
function nameOf({ node: { path, addr } }: Construct): string {
  const steps = path.split("/");
  const name = aliasFrom(steps.join("__"));
  const isPlain = steps.every((step) => /^[a-z0-9-]+(?:_[a-z0-9-]+)*$/i.test(step));
  return isPlain ? name : `${name}_${addr.slice(-8)}`;
}

/** The name in Terraform of a reopened construct; undefined for other constructs. */
export function reopenedName({ node: { scope, id } }: Construct): string | undefined {
  return scope && homes.has(scope) ? id : undefined;
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
  const its = TerraformStack.of(given);
  if (its === TerraformStack.of(user)) return;
  const problem = `The ${what} ${given.node.path} belongs to the stack ${its.node.path}.`;
  throw new IamTokensError("ERR_OTHER_STACK", problem, defined({ remedy }));
}

/** The construct that the program declared. A copy of a copy has the first original. */
export function originOf<T extends Construct>(construct: T): T {
  return (origins.get(construct) as T | undefined) ?? construct;
}
