import { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { packageVersion } from "../../delivery/package-root";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { defined } from "../../tokens";
import type { Fragment } from "../framework/internals";
import { type BlockArguments, hclAttributes } from "./block";

/** Properties of a provider block. */
interface ProviderBlockOptions {
  /** Alias of this configuration; none for the default one. */
  readonly alias?: () => string;
  /** Called when the block is written. By default there are none. */
  readonly arguments?: () => BlockArguments;
  /** While true, only the requirement is written, without a block. */
  readonly omitted?: () => boolean;
  /** While true, neither requirement nor block is written. */
  readonly absent?: () => boolean;
}

/**
 * `provider "iam"`, which requires exactly this package's version: two versions never share a
 * configuration.
 */
export class ProviderBlock extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly options: ProviderBlockOptions = {},
  ) {
    super(scope, id, {
      terraformResourceType: PROVIDER_TYPE,
      terraformProviderSource: PROVIDER_SOURCE,
      terraformGeneratorMetadata: { providerName: PROVIDER_TYPE },
    });
  }

  override get alias(): string | undefined {
    // The base class's constructor also calls the getter, before the options exist.
    return this.options?.alias?.();
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
    if (this.options.absent?.()) return {};
    const terraform = {
      required_providers: {
        [PROVIDER_TYPE]: { source: PROVIDER_SOURCE, version: packageVersion() },
      },
    };
    return this.options.omitted?.() ? { terraform } : { ...fragment, terraform };
  }
}
