import { TerraformDataSource, Token } from "cdktf";
import type { Construct } from "constructs";
import { hclAttributes } from "./block";
import type { TokenBlockOptions } from "./ephemeral-block";
import { TokenReference } from "./token-reference";

/** A `data` block of a token. */
export class DataBlock extends TerraformDataSource {
  constructor(
    scope: Construct,
    id: string,
    private readonly options: TokenBlockOptions,
  ) {
    super(scope, id, { terraformResourceType: options.type });
  }

  /** See {@link EphemeralBlock}. */
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
