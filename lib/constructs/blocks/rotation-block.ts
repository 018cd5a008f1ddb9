import { TerraformResource } from "cdktf";
import type { Construct } from "constructs";
import { IAM_ROTATION } from "../../provider/names";
import type { BlockArguments } from "./block";
import { hclAttributes } from "./block";

/**
 * `resource "iam_rotation"`: number and times, and no secret, so that cdktf's own references will
 * do.
 */
export class RotationBlock extends TerraformResource {
  constructor(
    scope: Construct,
    id: string,
    private readonly given: BlockArguments,
  ) {
    super(scope, id, { terraformResourceType: IAM_ROTATION });
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.given };
  }

  protected override synthesizeHclAttributes(): { [name: string]: unknown } {
    return hclAttributes(this.given);
  }
}
