import { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { packageVersion } from "../../delivery/package-root";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import type { BlockArguments, Fragment } from "./block";
import { hclAttributes } from "./block";

/** What a provider block is made from. */
interface ProviderBlockOptions {
  /** Of this configuration; none for the default one. */
  readonly alias?: () => string;
  /** Made when the block is written. By default there are none. */
  readonly arguments?: () => BlockArguments;
  /** The requirement alone, and no block, while this is true. */
  readonly omitted?: () => boolean;
  /** Neither requirement nor block while this is true. */
  readonly absent?: () => boolean;
}

/**
 * `provider "iam"` with the requirement of exactly this package's version: two versions never share
 * a configuration.
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
    // The getter is called by the base class's constructor too, before the options are there.
    return this.options?.alias?.();
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.blockArguments() };
  }

  protected override synthesizeHclAttributes(): { [name: string]: unknown } {
    return hclAttributes(this.blockArguments());
  }

  /**
   * A running provider that Terraform is attached to may be of another version: it needs to know.
   * The default block stays empty.
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
