import { Mistakes } from "../constructs/props/mistakes";
import { checkFlag, checkProps } from "../constructs/props/props";
import { quoted } from "../constructs/props/quoted";
import { defined, IamTokensError } from "../tokens";
import { signOfCi } from "./in-ci";
import type { ResolvedTokens } from "./resolved-tokens";

/** Output for progress and warnings, a part of `process.stderr`'s type. */
export interface ProgressStream {
  /** Whether it is a terminal: progress is written only then. */
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Options of {@link resolveTokens}. @see docs/synth.md */
export interface ResolveTokensOptions {
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
   * `RemoteBackend`), and not in CI (detected by the variables of npm's ci-info; `CI=false` turns
   * this off)
   */
  readonly writeFile?: boolean;
  /**
   * Called with the values before {@link resolveTokens} is done. If no file is written, it can pass
   * them on. If it throws, the pass fails.
   */
  readonly onResolved?: (resolved: ResolvedTokens) => void | Promise<void>;
  /**
   * Environment variables: secrets of `SecretRef.env`, proxies, `IAM_TOKENS_ALLOWED_AUTH_URLS`,
   * `IAM_TOKENS_ALLOWED_STATIC_SOURCES`, IAM_TOKENS_SKIP_RESOLVE, CI.
   *
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Output for progress and warnings.
   *
   * @default process.stderr
   */
  readonly stream?: ProgressStream;
  /**
   * Milliseconds since 1970, for the seconds in the progress line.
   *
   * @default Date.now
   */
  readonly now?: () => number;
}

/** The options, with defaults. */
export interface Settings {
  readonly skip: boolean;
  /** The user's option; by default it depends on each stack. */
  readonly writeFile: boolean | undefined;
  /** The sign of CI, as part of a sentence. */
  readonly inCi: string | undefined;
  readonly onResolved: ((resolved: ResolvedTokens) => void | Promise<void>) | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stream: ProgressStream;
  readonly now: () => number;
}

/** The environment variable that skips the pass. */
const SKIP_VARIABLE = "IAM_TOKENS_SKIP_RESOLVE";

const KNOWN = ["skip", "writeFile", "onResolved", "environment", "stream", "now"];

/** @throws ERR_PROP_INVALID with all wrong options */
export function settingsOf(options: ResolveTokensOptions): Settings {
  const mistakes = new Mistakes();
  const given = checkProps(options, KNOWN, mistakes);
  const skip = checkFlag("skip", given.skip, mistakes);
  const writeFile = checkFlag("writeFile", given.writeFile, mistakes);
  for (const [name, type] of [
    ["onResolved", "function"],
    ["environment", "object"],
    ["stream", "object"],
    ["now", "function"],
  ] as const) {
    if (given[name] === undefined || (typeof given[name] === type && given[name] !== null))
      continue;
    mistakes.add("ERR_PROP_INVALID", `${name} is ${quoted(given[name])}.`, {
      allowed: `a value of type ${type}`,
    });
  }
  const environment = { ...(options?.environment ?? process.env) };
  const bySwitch = skipsBySwitch(environment[SKIP_VARIABLE], mistakes);
  const [first, ...rest] = mistakes.found;
  if (first !== undefined) {
    const others = rest.length === 0 ? "" : ` ${rest.length} more options are invalid.`;
    throw new IamTokensError(first.code, `${first.problem}${others}`, {
      remedy: first.remedy,
      ...defined({ allowed: first.allowed }),
    });
  }
  return {
    skip: skip ?? bySwitch,
    writeFile,
    inCi: signOfCi(environment),
    onResolved: options.onResolved,
    environment,
    stream: options.stream ?? process.stderr,
    now: options.now ?? Date.now,
  };
}

function skipsBySwitch(value: string | undefined, mistakes: Mistakes): boolean {
  if (value === undefined || ["", "0", "false"].includes(value)) return false;
  if (value === "1" || value === "true") return true;
  mistakes.add(
    "ERR_PROP_INVALID",
    `The environment variable ${SKIP_VARIABLE} is ${quoted(value)}.`,
    {
      allowed: "1, true, 0, false",
    },
  );
  return false;
}
