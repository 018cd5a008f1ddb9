import { TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { IamTokensError, type IamTokensErrorDetails } from "../../tokens";
import type { Mistakes } from "../props/mistakes";
import { quoted } from "../props/quoted";

/** The original of a reopened construct. */
const origins = new WeakMap<Construct, Construct>();

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
  if (!TerraformStack.isStack(stack)) {
    const mistake = new IamTokensError("ERR_PROP_INVALID", `reopenIn was given ${quoted(stack)}.`, {
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

/** Refuses a construct from another stack. Returns whether it is from the same. */
export function checkSameStack(
  what: string,
  given: IConstruct,
  user: IConstruct,
  mistakes: Mistakes,
  details: IamTokensErrorDetails = {},
): boolean {
  const its = TerraformStack.of(given);
  if (its === TerraformStack.of(user)) return true;
  const problem = `The ${what} ${given.node.path} belongs to the stack ${its.node.path}.`;
  mistakes.add("ERR_OTHER_STACK", problem, details);
  return false;
}

/** The construct that the program declared. A copy of a copy has the first original. */
export function originOf<T extends Construct>(construct: T): T {
  // The map contains only results of `declare`, which have the original's class.
  return (origins.get(construct) as T | undefined) ?? construct;
}

/**
 * A construct's id has no slashes. With the dashes that cdktf uses, two different paths could look
 * the same.
 */
function idFor(origin: Construct): string {
  return origin.node.path.includes("--")
    ? `${origin.node.path}--${origin.node.addr.slice(-8)}`
    : origin.node.path;
}
