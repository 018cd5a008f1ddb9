import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { readValueFile, type VariableValues } from "../../delivery/value-file";
import type { TokenRecord } from "../declarations/registry";
import { type ResolvedToken, valuesOf } from "../declarations/variables";

/**
 * The values of one stack's tokens that are resolved before synthesis. It is made once, gets the
 * values, and writes them at synthesis.
 */
export class StackValues {
  /** Undefined if no token was requested. */
  private issued: Map<TokenRecord, ResolvedToken> | undefined;

  /**
   * @param provider the embedded provider of the stack
   * @param writeFile whether the values are written next to it
   */
  constructor(
    private readonly provider: IConstruct,
    readonly tokens: readonly TokenRecord[],
    private readonly writeFile: boolean,
  ) {}

  get stack(): TerraformStack {
    return TerraformStack.of(this.provider);
  }

  /** Takes the values that were issued for all stacks. */
  take(values: ReadonlyMap<TokenRecord, ResolvedToken>): void {
    this.issued = new Map([...values].filter(([token]) => this.tokens.includes(token)));
  }

  /** Whether a token has no value although its stack was resolved. */
  lacks(token: TokenRecord): boolean {
    return this.issued?.has(token) === false;
  }

  /**
   * The values in Terraform's form for the environment: strings unchanged, all else as JSON. By the
   * names of this moment: until synthesis, one may change, and the program may refer to more of a
   * token.
   */
  variables(): readonly (readonly [name: string, text: string])[] {
    return [...(this.issued ?? [])]
      .flatMap(([token, value]) => Object.entries(valuesOf(token, value)))
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  }

  /**
   * The values for the stack's file, if it gets one. Where no token was requested, those that are
   * there stay.
   *
   * @param tokens those that are still in the stack
   */
  forFile(tokens: readonly TokenRecord[], folder: string): VariableValues | undefined {
    if (tokens.length === 0 || !this.writeFile) return undefined;
    const there = this.issued ? undefined : readValueFile(folder);
    return Object.assign(
      {},
      ...tokens.map((each) => valuesOf(each, this.issued?.get(each), there)),
    );
  }
}
