import { TerraformElement } from "cdktf";
import type { Construct } from "constructs";
import { isTable } from "../../hcl/json";
import { defined, IamTokensError } from "../../tokens";
import { type BlockArguments, hclAttributes } from "../blocks/block";
import type { Fragment } from "../framework/internals";

/** What a block is, by Terraform's names. */
interface BlockContent {
  readonly section: "ephemeral" | "data" | "resource";
  readonly blockType: string;
  /** Called when the block is written. */
  readonly arguments: () => BlockArguments;
  /** A reference to the block as a whole; by default cdktf's. */
  readonly reference?: (block: Block) => string;
}

/** A block of ours. cdktf has no class for ephemeral ones; ours treats all three alike. */
export class Block extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly content: BlockContent,
  ) {
    const { section, blockType } = content;
    super(scope, id, section === "resource" ? blockType : `${section}.${blockType}`);
  }

  override get fqn(): string {
    return this.content.reference?.(this) ?? super.fqn;
  }

  override toTerraform(): Fragment {
    const given: Fragment = defined(this.content.arguments());
    return this.written({ ...given, ...this.overridesOver(given) });
  }

  /**
   * cdktf's HCL writer would silently drop an ephemeral block. The validation reports that first;
   * this is for skipped validations.
   */
  override toHclTerraform(): Fragment {
    if (this.content.section === "ephemeral")
      throw new IamTokensError(
        "ERR_HCL_OUTPUT",
        `${this.node.path} is ephemeral, but the output is HCL.`,
      );
    const { provider, ...given } = this.content.arguments();
    return this.written({
      ...defined({ provider }),
      ...hclAttributes(given),
      ...this.overridesOver(given),
    });
  }

  override toMetadata(): Fragment {
    const overridden = Object.keys(this.rawOverrides as Fragment);
    return overridden.length === 0 ? {} : { overrides: { [this.content.blockType]: overridden } };
  }

  private written(block: Fragment): Fragment {
    const { section, blockType } = this.content;
    const named = { [this.friendlyUniqueId]: { ...block, "//": this.constructNodeMetadata } };
    return { [section]: { [blockType]: named } };
  }

  /** An override of one entry of a map keeps the others. */
  private overridesOver(given: BlockArguments): Fragment {
    const overrides = Object.entries(this.rawOverrides as Fragment).map(([name, value]) => {
      const map = given[name];
      return [name, isTable(value) && isTable(map) ? { ...map, ...value } : value];
    });
    return Object.fromEntries(overrides);
  }
}
