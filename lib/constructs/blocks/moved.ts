import { TerraformElement, type TerraformStack } from "cdktf";
import { Construct, RootConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import type { Fragment } from "../framework/internals";
import { withPath } from "../values/checks";
import { assertKind, kind } from "../values/props";

/** The part of the state that a construct of ours has. */
interface Moving {
  readonly construct: Construct;
  /** Type of its resource; undefined if nothing of it is in the state. */
  readonly type: string | undefined;
  /** Its element, for the name that it has now. */
  readonly element: TerraformElement;
}

/** `moved`: Terraform keeps the resource of a construct that is in another place of the tree. */
class Moved extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly move: () => { readonly from: string; readonly to: string },
  ) {
    super(scope, id);
  }

  override toTerraform(): Fragment {
    return { moved: [this.move()] };
  }
}

/**
 * Declares that a construct was elsewhere in its stack.
 *
 * @param path its path there, without the stack's
 */
export function declareMove({ construct, type, element }: Moving, path: string): void {
  withPath(construct, () => {
    assertKind("The argument of movedFrom", path, PLACE);
    if (type === undefined)
      throw new IamTokensError("ERR_PROP_INVALID", "movedFrom is of a token that is in no state.", {
        remedy: "Remove the call: only TokenResolution.rotating() is kept in the state.",
      });
  });
  const { cdktfStack: stack, node } = element;
  new Moved(construct, `moved-${node.scope?.node.children.length}`, () => ({
    from: `${type}.${nameAt(stack, path)}`,
    to: `${type}.${element.friendlyUniqueId}`,
  }));
}

const PLACE = kind(
  'the path of the construct in its stack before it moved: "network/ci"',
  (value) => typeof value === "string" && /^[^/]+(?:\/[^/]+)*$/.test(value),
);

/**
 * The name in Terraform of an element of ours in a construct at a path: as the stack allocates it.
 */
function nameAt(stack: TerraformStack, path: string): string {
  const [root = "", ...rest] = path.split("/");
  // A tree of its own: the program's may have another construct there.
  let at: Construct = new RootConstruct(root);
  for (const id of [...rest, "Default"]) at = new Construct(at, id);
  return stack.getLogicalId(at.node);
}
