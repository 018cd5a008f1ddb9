import { TerraformDataSource, TerraformElement, type TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";

export class AnyData extends TerraformDataSource {
  constructor(
    scope: IConstruct,
    id: string,
    private readonly values: Readonly<Record<string, unknown>>,
  ) {
    super(scope as TerraformStack, id, { terraformResourceType: "any_data" });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.values };
  }
}

/** An element that gives any part of a configuration. */
export class AnyPart extends TerraformElement {
  constructor(
    scope: IConstruct,
    id: string,
    private readonly part: Readonly<Record<string, unknown>>,
  ) {
    super(scope as TerraformStack, id);
  }

  override toTerraform(): Readonly<Record<string, unknown>> {
    return this.part;
  }
}
