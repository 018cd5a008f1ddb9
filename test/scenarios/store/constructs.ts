import { TerraformProvider, TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { sourceOf } from "../consumers";

const METADATA = {
  providerName: "store",
  providerVersion: "0.0.1",
  providerVersionConstraint: "0.0.1",
};

/** The provider block of the scenarios' secret store. */
export class StoreProvider extends TerraformProvider {
  constructor(
    scope: Construct,
    id: string,
    private readonly folder: string,
  ) {
    super(scope, id, {
      terraformResourceType: "store",
      terraformGeneratorMetadata: METADATA,
      terraformProviderSource: sourceOf("store"),
    });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { folder: this.folder };
  }
}

export interface StoreSecretProps {
  readonly name: string;
  readonly value: string;
  readonly version: number;
}

/** A secret that is pushed whenever its version changes. */
export class StoreSecret extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: StoreSecretProps,
  ) {
    super(scope, id, {
      terraformResourceType: "store_secret",
      terraformGeneratorMetadata: METADATA,
    });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    const { name, value, version } = this.props;
    return { name, value_wo: value, value_wo_version: version };
  }
}
