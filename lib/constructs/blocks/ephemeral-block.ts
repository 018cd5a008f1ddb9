import { TerraformElement, Token } from "cdktf";
import type { Construct } from "constructs";
import { IamTokensError } from "../../tokens";
import { TokenResolution } from "../token-resolution";
import type { Fragment } from "./block";
import { TokenReference } from "./token-reference";
import type { TokenObjectOptions, TokenWay } from "./token-way";
import { addressOf } from "./token-way";

/** An `ephemeral` block, for which cdktf has no class. */
export class EphemeralBlock extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly options: TokenObjectOptions,
  ) {
    super(scope, id, `ephemeral.${options.type}`);
  }

  /**
   * Also a whole block is referred to in our way: cdktf's reference would copy it into another
   * stack's state.
   */
  override get fqn(): string {
    return Token.asString(new TokenReference(this.options.record, this.cdktfStack, undefined));
  }

  override toTerraform(): Fragment {
    const overrides = this.rawOverrides as Fragment;
    const block = { ...this.options.arguments(), ...overrides, "//": this.constructNodeMetadata };
    return { ephemeral: { [this.options.type]: { [this.friendlyUniqueId]: block } } };
  }

  /**
   * cdktf's HCL writer would drop the block without a word. The validation says so first; this is
   * for skipped validations.
   */
  override toHclTerraform(): Fragment {
    throw new IamTokensError(
      "ERR_HCL_OUTPUT",
      `${this.node.path} is ephemeral, and the output is HCL.`,
    );
  }

  override toMetadata(): Fragment {
    const overridden = Object.keys(this.rawOverrides as Fragment);
    return overridden.length === 0
      ? {}
      : { overrides: { [`ephemeral.${this.options.type}`]: overridden } };
  }
}

export const EPHEMERAL_WAY: TokenWay = {
  resolution: TokenResolution.EPHEMERAL,
  ephemeral: true,
  declare: (scope, id, options) => new EphemeralBlock(scope, id, options),
  address: (type, name, attribute) => addressOf("ephemeral", type, name, attribute),
};
