import { TerraformDataSource, Token } from "cdktf";
import type { Construct } from "constructs";
import { TokenResolution } from "../token-resolution";
import { hclAttributes } from "./block";
import { TokenReference } from "./token-reference";
import type { TokenObjectOptions, TokenWay } from "./token-way";
import { addressOf } from "./token-way";

/** A `data` block of a token. */
export class DataBlock extends TerraformDataSource {
  constructor(
    scope: Construct,
    id: string,
    private readonly options: TokenObjectOptions,
  ) {
    super(scope, id, { terraformResourceType: options.type });
  }

  /** In our way: cdktf's reference would copy it into another stack's state. */
  override get fqn(): string {
    return Token.asString(new TokenReference(this.options.record, this.cdktfStack, undefined));
  }

  /** cdktf lays these over the arguments, also where they are undefined. */
  override get terraformMetaArguments(): { [name: string]: unknown } {
    return { ...super.terraformMetaArguments, provider: this.options.arguments().provider };
  }

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.options.arguments() };
  }

  protected override synthesizeHclAttributes(): { [name: string]: unknown } {
    return hclAttributes(this.options.arguments());
  }
}

export const DATA_WAY: TokenWay = {
  resolution: TokenResolution.DATA,
  ephemeral: false,
  declare: (scope, id, options) => new DataBlock(scope, id, options),
  address: (type, name, attribute) => addressOf("data", type, name, attribute),
};
