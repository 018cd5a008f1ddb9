import { TerraformDataSource, Token } from "cdktf";
import type { Construct } from "constructs";
import type { TokenBlockOptions } from "./ephemeral-block";
import { TokenReference } from "./token-reference";

/** A `data` block of a token. Its provider is an argument like the others, as it may be the default configuration. */
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

  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return { ...this.options.arguments() };
  }

  protected override synthesizeHclAttributes(): { [name: string]: unknown } {
    return { ...this.options.arguments() };
  }
}
