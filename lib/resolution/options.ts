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
   * only for its owner: for the CDKTF command line, and for remote runs, which upload that folder.
   * The output folder must then not be uploaded as an artifact.
   *
   * @default false - the program passes the values on
   */
  readonly writeFile?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the environment skips passes. */
export function isSkipped({ IAM_TOKENS_SKIP_RESOLVE: skip }: Environment): boolean {
  return skip === "1" || skip === "true";
}
