import { TerraformElement, TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { packageVersion } from "../../delivery/package-root";
import { isTable } from "../../hcl/json";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { defined, IamTokensError } from "../../tokens";
import { type Fragment, hclAttribute, TEMPLATE_OPENINGS } from "../framework/internals";
import type { BlockArguments } from "./arguments";

/** Arguments for cdktf's HCL writer, which would write an undefined one as a map. */
function hclAttributes(given: BlockArguments): Fragment {
  return Object.fromEntries(
    Object.entries(defined(given)).map(([name, value]) => [name, hclAttribute(value)]),
  );
}

/**
 * The provider alias for an identity service's id, or for the unique id of its path: the characters
 * that cdktf keeps, after a `_` if Terraform requires a letter.
 */
export function aliasFrom(id: string): string {
  const kept = id.replace(/[^A-Za-z0-9_-]/g, "");
  return /^[A-Za-z_]/.test(kept) ? kept : `_${kept}`;
}

/** A string that Terraform takes literally, except for its CDK tokens. */
export function literally(text: string): string {
  return text.replace(TEMPLATE_OPENINGS, (opening) => `${opening[0]}${opening}`);
}

/** The kind and content of a block, by Terraform's names. */
interface BlockContent {
  readonly section: "ephemeral" | "data" | "resource";
  readonly blockType: string;
  /** Called when the block is written. */
  readonly arguments: () => BlockArguments;
  /** A reference to the block as a whole; by default cdktf's, for a resource. */
  readonly reference?: (block: Block) => string;
}

/** A block of ours. cdktf has no class for ephemeral ones; ours treats all three alike. */
export class Block extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly content: BlockContent,
  ) {
    super(scope, id, content.blockType);
  }

  override get fqn(): string {
    return this.content.reference?.(this) ?? super.fqn;
  }

  /** How Terraform refers to an attribute of the block, or to the block as a whole. */
  address(attribute?: string): string {
    const { section, blockType } = this.content;
    const path = [blockType, this.friendlyUniqueId, attribute].filter(Boolean).join(".");
    return section === "resource" ? path : `${section}.${path}`;
  }

  override toTerraform(): Fragment {
    const given: Fragment = defined(this.content.arguments());
    return this.written({ ...given, ...this.overridesOver(given) });
  }

  /** cdktf's HCL writer would silently drop an ephemeral block. */
  override toHclTerraform(): Fragment {
    if (this.content.section === "ephemeral")
      throw new IamTokensError(
        "ERR_HCL_OUTPUT",
        `${this.node.scope?.node.path} is ephemeral, but the output is HCL.`,
      );
    const { provider, ...given } = this.content.arguments();
    return this.written({
      ...defined({ provider }),
      ...hclAttributes(given),
      ...this.overridesOver(given),
    });
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

/** Properties of a provider block. */
interface ProviderBlockOptions {
  /** Alias of this configuration; none for the default one. */
  readonly alias?: string;
  /** Called when the block is written. By default there are none. */
  readonly arguments?: () => BlockArguments;
  /** While true, neither requirement nor block is written. */
  readonly absent: () => boolean;
}

/**
 * `provider "iam"`, which requires exactly this package's version: two versions never share a
 * configuration.
 */
export class ProviderBlock extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly options: ProviderBlockOptions,
  ) {
    super(scope, id, {
      terraformResourceType: PROVIDER_TYPE,
      terraformProviderSource: PROVIDER_SOURCE,
    });
  }

  override get alias(): string | undefined {
    return this.options.alias;
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return defined(this.blockArguments());
  }

  protected override synthesizeHclAttributes(): { [name: string]: unknown } {
    return hclAttributes(this.blockArguments());
  }

  /**
   * A running provider that Terraform attaches to may have another version, so it gets this one to
   * compare. The default block stays empty.
   */
  private blockArguments(): BlockArguments {
    const given = this.options.arguments?.();
    return given === undefined ? {} : { ...given, package_version: packageVersion() };
  }

  override toTerraform(): Fragment {
    return this.required(super.toTerraform() as Fragment);
  }

  override toHclTerraform(): Fragment {
    return this.required(super.toHclTerraform() as Fragment);
  }

  private required(fragment: Fragment): Fragment {
    if (this.options.absent()) return {};
    const required = { source: PROVIDER_SOURCE, version: packageVersion() };
    return { ...fragment, terraform: { required_providers: { [PROVIDER_TYPE]: required } } };
  }
}
