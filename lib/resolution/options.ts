import type { ResolvedTokens } from "./resolved-tokens";

/** Options of {@link SynthTokens}. @see docs/synth.md */
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
   * only for its owner. `true` includes remote runs and CI; the output folder must then not be
   * uploaded as an artifact. `false` writes no file.
   *
   * @default - written, but not for stacks with remote runs (HCP Terraform: `CloudBackend`,
   * `RemoteBackend`), and not in CI (a variable such as CI is set; `CI=false` turns this off)
   */
  readonly writeFile?: boolean;
}

/** Options of {@link resolveTokens}. @see docs/synth.md */
export interface ResolveTokensOptions extends SynthTokensProps {
  /**
   * Called with the values before {@link resolveTokens} is done. If no file is written, it can pass
   * them on. If it throws, the pass fails.
   *
   * @default - nothing is called
   */
  readonly onResolved?: (resolved: ResolvedTokens) => void | Promise<void>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the process that a pass uses. */
export interface Surroundings {
  readonly environment: Environment;
  /** Where a CI system reads what it has to hide. */
  readonly stream: { write(text: string): unknown };
}

/** Whether the environment skips passes. */
export function isSkipped({ IAM_TOKENS_SKIP_RESOLVE: skip }: Environment): boolean {
  return skip === "1" || skip === "true";
}

const CI_VARIABLES = [
  ...["CI", "CONTINUOUS_INTEGRATION", "BUILD_ID", "BUILD_NUMBER", "TF_BUILD", "JENKINS_URL"],
  ...["TEAMCITY_VERSION", "CODEBUILD_BUILD_ID", "TFC_RUN_ID"],
];

/** The variable by which this is a CI system. `CI=false` and `CI=0` say that it is none. */
export function ciVariable(environment: Environment): string | undefined {
  if (environment.CI === "false" || environment.CI === "0") return undefined;
  return CI_VARIABLES.find((name) => environment[name]);
}
