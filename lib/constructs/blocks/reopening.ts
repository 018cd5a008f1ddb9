import { TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { IamTokensError, type IamTokensErrorDetails } from "../../tokens";
import type { Mistakes } from "../props/mistakes";
import { shown } from "../props/shown";

/** What was declared first, of what was reopened. */
const origins = new WeakMap<Construct, Construct>();

/**
 * The same declaration in another stack: declared there once, and found again from there on. In its
 * own stack it is what it is.
 *
 * It stands below the stack's embedded provider, under the path of the original: a name that stays,
 * and that no construct of the user has.
 *
 * @param home what reopened constructs of a stack are declared below
 * @param declare declares it, as a construct with this scope and id
 */
export function reopen<T extends Construct>(
  construct: T,
  stack: TerraformStack,
  home: (stack: TerraformStack) => Construct,
  declare: (scope: Construct, id: string) => T,
): T {
  if (!TerraformStack.isStack(stack)) {
    const mistake = new IamTokensError("ERR_PROP_INVALID", `reopenIn was given ${shown(stack)}.`, {
      allowed: "a TerraformStack",
    });
    construct.node.addValidation({ validate: () => [mistake.message] });
    return construct;
  }
  const origin = originOf(construct);
  if (TerraformStack.of(origin) === stack) return origin;
  const parent = home(stack);
  const id = idFor(origin);
  const there = parent.node.children.find(
    (child): child is T => origins.get(child as Construct) === origin,
  );
  if (there !== undefined) return there;
  const reopened = declare(parent, id);
  origins.set(reopened, origin);
  return reopened;
}

/** What a construct is given has to be of its own stack. Tells whether it is. */
export function checkSameStack(
  what: string,
  given: IConstruct,
  user: IConstruct,
  mistakes: Mistakes,
  details: IamTokensErrorDetails = {},
): boolean {
  const its = TerraformStack.of(given);
  if (its === TerraformStack.of(user)) return true;
  const problem = `The ${what} ${given.node.path} is of the stack ${its.node.path}.`;
  mistakes.add("ERR_OTHER_STACK", problem, details);
  return false;
}

/** Whatever is declared from what was reopened comes from the original as well. */
function originOf<T extends Construct>(construct: T): T {
  // Only what `declare` gave stands in the map, and that is of the original's class.
  return (origins.get(construct) as T | undefined) ?? construct;
}

/**
 * A construct's id has no slashes. A path that has the dashes that cdktf puts there would look like
 * another one's.
 */
function idFor(origin: Construct): string {
  return origin.node.path.includes("--")
    ? `${origin.node.path}--${origin.node.addr.slice(-8)}`
    : origin.node.path;
}
