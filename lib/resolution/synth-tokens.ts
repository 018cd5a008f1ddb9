import type { App, TerraformStack } from "cdktf";
import { defined, IamTokensError } from "../tokens";
import type { SynthTokensProps } from "./options";
import { resolveTokensNow } from "./resolve-tokens";
import type { ResolvedTokens } from "./resolved-tokens";

export type { SynthTokensProps } from "./options";

/**
 * Resolves the tokens of `TokenResolution.synth` in all stacks of an app, like `resolveTokens`, in
 * every language: it waits for the tokens.
 *
 * @see docs/synth.md
 * @example
 * new SynthTokens(app).resolve();
 * app.synth();
 */
export class SynthTokens {
  private resolved: ResolvedTokens | undefined;

  constructor(
    private readonly app: App,
    private readonly props: SynthTokensProps = {},
  ) {}

  /**
   * Resolves the tokens: to be called after all declarations and before `app.synth()`. Each
   * distinct credential and scope is issued once.
   *
   * @throws ERR_RESOLUTION_FAILED with every failure by construct path; ERR_PROP_INVALID
   */
  resolve(): void {
    const { skip, writeFile } = this.props;
    this.resolved = resolveTokensNow(this.app, defined({ skip, writeFile }));
  }

  /**
   * The values as environment variables for a program that runs Terraform: `TF_VAR_…`, in clear
   * text. For use without the file.
   *
   * @param stack the stack; by default, the values of all stacks
   * @throws ERR_TOKENS_NOT_RESOLVED before {@link resolve}; ERR_NAME_TAKEN; ERR_PROP_INVALID
   */
  environment(stack?: TerraformStack): { [name: string]: string } {
    if (this.resolved === undefined)
      throw new IamTokensError("ERR_TOKENS_NOT_RESOLVED", "resolve() was not called.");
    return this.resolved.environment(stack);
  }
}
