import { TerraformDataSource, TerraformElement, TerraformResource, Token } from "cdktf";
import type { Construct } from "constructs";
import { defined, IamTokensError } from "../../tokens";
import { type BlockArguments, hclAttributes } from "../blocks/block";
import type { Fragment } from "../framework/internals";
import type { TokenRecord } from "./registry";
import { TokenReference } from "./token-reference";

/** The block as a whole, by our reference: cdktf's would copy it into another stack's state. */
export function referenceTo(record: TokenRecord, element: TerraformElement): string {
  return Token.asString(new TokenReference(record, element.cdktfStack, undefined));
}

/** An `ephemeral` block, for which cdktf has no class. */
export class EphemeralBlock extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly record: TokenRecord,
  ) {
    super(scope, id, `ephemeral.${record.blockType}`);
  }

  override get fqn(): string {
    return referenceTo(this.record, this);
  }

  override toTerraform(): Fragment {
    const { blockType, arguments: given } = this.record;
    const block = { ...defined(given()), ...this.overrides, "//": this.constructNodeMetadata };
    return { ephemeral: { [blockType]: { [this.friendlyUniqueId]: block } } };
  }

  /**
   * cdktf's HCL writer would silently drop the block. The validation reports that first; this is
   * for skipped validations.
   */
  override toHclTerraform(): Fragment {
    throw new IamTokensError(
      "ERR_HCL_OUTPUT",
      `${this.node.path} is ephemeral, but the output is HCL.`,
    );
  }

  override toMetadata(): Fragment {
    const overridden = Object.keys(this.overrides);
    return overridden.length === 0
      ? {}
      : { overrides: { [`ephemeral.${this.record.blockType}`]: overridden } };
  }

  private get overrides(): Fragment {
    return this.rawOverrides as Fragment;
  }
}

/** A `data` block of a token. */
export class DataBlock extends TerraformDataSource {
  constructor(
    scope: Construct,
    id: string,
    private readonly record: TokenRecord,
  ) {
    super(scope, id, { terraformResourceType: record.blockType });
  }

  override get fqn(): string {
    return referenceTo(this.record, this);
  }

  /** cdktf merges these over the arguments, even if they are undefined. */
  override get terraformMetaArguments(): Fragment {
    return { ...super.terraformMetaArguments, provider: this.record.arguments().provider };
  }

  protected override synthesizeAttributes(): Fragment {
    return defined(this.record.arguments());
  }

  protected override synthesizeHclAttributes(): Fragment {
    return hclAttributes(this.record.arguments());
  }
}

/** A `resource` block of a rotation. It has no secret, so cdktf's references suffice. */
export class ResourceBlock extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    private readonly block: {
      readonly blockType: string;
      readonly arguments: () => BlockArguments;
    },
  ) {
    super(scope, id, { terraformResourceType: block.blockType });
  }

  override get terraformMetaArguments(): Fragment {
    return { ...super.terraformMetaArguments, provider: this.block.arguments().provider };
  }

  protected override synthesizeAttributes(): Fragment {
    return defined(this.block.arguments());
  }

  protected override synthesizeHclAttributes(): Fragment {
    return hclAttributes(this.block.arguments());
  }
}

/** A `resource` block of a token. */
export class TokenResourceBlock extends ResourceBlock {
  constructor(
    scope: Construct,
    id: string,
    private readonly record: TokenRecord,
  ) {
    super(scope, id, record);
  }

  override get fqn(): string {
    return referenceTo(this.record, this);
  }
}
