import { type TerraformElement, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { defined, IamTokensError } from "../../tokens";
import { aliasFrom } from "./block";

/** The originals of reopened constructs, by the parent and the id that these have. */
const origins = new WeakMap<IConstruct, Map<string, Construct>>();

/**
 * The same declaration in another stack: declared by the first call, returned by further ones. For
 * its own stack, the construct itself.
 *
 * It is below the stack's embedded provider, under the path of the original: a stable name that no
 * construct of the user has.
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
  if (TerraformStack.of(origin) === stack) return origin;
  const parent = home(stack);
  const id = idFor(origin);
  const ids = origins.get(parent) ?? new Map<string, Construct>();
  const there = ids.get(id) === origin ? parent.node.tryFindChild(id) : undefined;
  // A result of `declare`, which has the original's class.
  if (there !== undefined) return there as T;
  // Before the declaration, which needs it for the names of its blocks.
  origins.set(parent, ids.set(id, origin));
  return declare(parent, id);
}

/**
 * The name in Terraform of a reopened construct: the original's path, `network__project`, which
 * plans print. Undefined for other constructs.
 *
 * A path whose name could come from another one gets a hash.
 */
export function reopenedName(construct: Construct): string | undefined {
  const origin = originOf(construct);
  if (origin === construct) return undefined;
  const { path, addr } = origin.node;
  const steps = path.split("/");
  const name = aliasFrom(steps.join("__"));
  const isPlain = steps.every((step) => /^[a-z0-9-]+(?:_[a-z0-9-]+)*$/i.test(step));
  return isPlain ? name : `${name}_${addr.slice(-8)}`;
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
  const { scope, id } = construct.node;
  return ((scope && origins.get(scope)?.get(id)) as T | undefined) ?? construct;
}

/**
 * A construct's id has no slashes. With the dashes in their place, two different paths could look
 * the same.
 */
function idFor({ node: { path, addr } }: Construct): string {
  const id = path.replaceAll("/", "--");
  return path.includes("--") ? `${id}--${addr.slice(-8)}` : id;
}
