import type { App, TerraformStack } from "cdktf";
import { defined, IamTokensError } from "../tokens";
import { resolveTokens } from "./resolve-tokens";
import type { ResolvedTokens } from "./resolved-tokens";

/** Options of {@link SynthTokens}. @see docs/synth.md */
export interface SynthTokensProps {
  /**
   * Issue nothing: for a command that needs no token, such as `cdktf output`. Values of an earlier
   * synthesis stay; variables without a value get a placeholder.
   *
   * @default - the environment variable IAM_TOKENS_SKIP_RESOLVE: `1` or `true` skips
   */
  readonly skip?: boolean;
  /**
   * Whether to write the values into `iam-tokens.auto.tfvars.json` in each stack's folder, readable
   * only for its owner.
   *
   * @default - written, but not for stacks with remote runs, and not in CI
   */
  readonly writeFile?: boolean;
}

/**
 * Resolves the tokens of `TokenResolution.synth` in all stacks of an app, like `resolveTokens`, for
 * languages without functions outside of classes. Go cannot call asynchronous methods: there, and
 * in any other language, `iam-tokens issue` can get a token for a program before synthesis.
 *
 * @see docs/synth.md
 * @example
 * new SynthTokens(app).resolve(); // in TypeScript with await
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
  async resolve(): Promise<void> {
    const { skip, writeFile } = this.props;
    this.resolved = await resolveTokens(this.app, defined({ skip, writeFile }));
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
