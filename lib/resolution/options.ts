/** Options of {@link resolveTokens} and {@link SynthTokens}. @see docs/synth.md */
export interface SynthTokensProps {
  /**
   * Issue nothing: for a command that needs no token, such as `cdktf output`, or `cdktf destroy` if
   * no provider signs in with one. Values of an earlier synthesis stay; variables without a value
   * get a placeholder.
   *
   * @default - the environment variable IAM_TOKENS_SKIP_RESOLVE: `1` or `true` skips
   */
  readonly skip?: boolean;
  /**
   * Whether to write the values into `iam-tokens.auto.tfvars.json` in each stack's folder, readable
   * only for its owner: for the CDKTF command line, which otherwise ends with
   * ERR_TOKENS_NOT_RESOLVED, and for remote runs, which upload that folder. The output folder must
   * then not be uploaded as an artifact.
   *
   * @default true; false where the environment has `CI`
   */
  readonly writeFile?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of a pass. A value of another type, such as the string "false", is no `true`. */
export function optionsIn(
  { skip, writeFile }: SynthTokensProps,
  { CI, IAM_TOKENS_SKIP_RESOLVE: skips = "" }: Environment,
) {
  return {
    skipped: skip === undefined ? ["1", "true"].includes(skips) : skip === true,
    writeFile: writeFile === undefined ? !CI : writeFile === true,
  };
}
