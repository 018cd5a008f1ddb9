import { TerraformElement, TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { packageVersion } from "../../delivery/package-root";
import { PROVIDER_TYPE } from "../../provider/names";
import { defined } from "../../tokens";
import { type Fragment, merged, TEMPLATE_OPENINGS } from "../framework/internals";
import type { BlockArguments } from "./arguments";
import { providerSourceOf } from "./provider-source";

/**
 * The provider alias for an identity service's id, or for the unique id of its path: the characters
 * that cdktf keeps, after a `_` if Terraform requires a letter.
 */
export function aliasFrom(id: string): string {
  const kept = id.replace(/[^A-Za-z0-9_-]/g, "");
  return /^[A-Za-z_]/.test(kept) ? kept : `_${kept}`;
}

/** A string that Terraform takes literally, except for its CDK tokens. */
export function escapeTemplates(text: string): string {
  return text.replace(TEMPLATE_OPENINGS, (opening) => `${opening[0]}${opening}`);
}

/**
 * What a stack with an ephemeral value requires: Terraform 1.10 (and OpenTofu 1.11, for which a
 * constraint cannot speak separately). A program's own override counts instead.
 */
export const withEphemerals = (fragment: Fragment): Fragment => ({
  ...fragment,
  terraform: { required_version: ">= 1.10.0" },
});

/** The kind and content of a block, by Terraform's names. */
interface BlockContent {
  readonly section: "ephemeral" | "data" | "resource";
  readonly blockType: string;
  /** Called when the block is written. */
  readonly arguments: () => BlockArguments;
  /** Whether it has for_each: an attribute is then that of the element that is looked at. */
  readonly isRepeated?: boolean;
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
  address(attribute?: string, key?: string): string {
    const { section, blockType, isRepeated } = this.content;
    const path = `${blockType}.${this.friendlyUniqueId}`;
    const block = section === "resource" ? path : `${section}.${path}`;
    if (attribute === undefined) return block;
    const element = key === undefined ? "each.key" : JSON.stringify(escapeTemplates(key));
    return `${block}${isRepeated ? `[${element}]` : ""}.${attribute}`;
  }

  override toTerraform(): Fragment {
    const { section, blockType } = this.content;
    const block = merged(defined(this.content.arguments()), this.rawOverrides as Fragment);
    const named = { [this.friendlyUniqueId]: { ...block, "//": this.constructNodeMetadata } };
    const fragment = { [section]: { [blockType]: named } };
    return section === "ephemeral" ? withEphemerals(fragment) : fragment;
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
      terraformProviderSource: providerSourceOf(scope),
    });
  }

  override get alias(): string | undefined {
    return this.options.alias;
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return defined(this.options.arguments?.() ?? {});
  }

  override toTerraform(): Fragment {
    if (this.options.absent()) return {};
    const required = { source: providerSourceOf(this), version: packageVersion() };
    const fragment = super.toTerraform() as Fragment;
    return { ...fragment, terraform: { required_providers: { [PROVIDER_TYPE]: required } } };
  }
}
