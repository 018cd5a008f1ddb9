import { TerraformVariable } from "cdktf";
import type { Construct } from "constructs";
import { Variable } from "../declarations/synth-variable";

/**
 * The variable of a secret, one for each name in a stack. It is ephemeral: Terraform stores its
 * value neither in plans nor in the state.
 */
export class SecretVariable extends Variable {
  /** @param home of all such variables of the stack */
  static declare(home: Construct, name: string): void {
    const id = `variable-${name}`;
    if (home.node.tryFindChild(id) === undefined) new SecretVariable(home, id, name);
  }

  private constructor(
    scope: Construct,
    id: string,
    private readonly name: string,
  ) {
    super(scope, id, "var");
  }

  /** Absent if the program declares the variable: cdktf would merge the two. */
  protected override config(): ReturnType<Variable["config"]> {
    const isDeclared = this.cdktfStack.node
      .findAll()
      .some((each) => each instanceof TerraformVariable && each.friendlyUniqueId === this.name);
    if (isDeclared) return undefined;
    return { name: this.name, arguments: { type: "string", sensitive: true, ephemeral: true } };
  }
}
