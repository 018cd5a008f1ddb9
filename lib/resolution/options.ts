import { Mistakes } from "../constructs/props/mistakes";
import { checkFlag, checkProps } from "../constructs/props/props";
import { shown } from "../constructs/props/shown";
import { defined, IamTokensError } from "../tokens";
import { signOfCi } from "./in-ci";
import type { ResolvedTokens } from "./resolved-tokens";

/** Where progress and warnings go: what `process.stderr` has of it. */
export interface ProgressStream {
  /** Whether somebody watches: progress is written only then. */
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** How {@link resolveTokens} does its work. */
export interface ResolveTokensOptions {
  /**
   * Issue nothing: for a command that needs no token, such as `cdktf output`, or `cdktf destroy`
   * where no provider is authenticated by one. Values of an earlier synthesis stay; variables that
   * have none get a text that is no token.
   *
   * @default - the environment variable IAM_TOKENS_SKIP_RESOLVE: `1` or `true` skips
   */
  readonly skip?: boolean;
  /**
   * Write the values into `iam-tokens.auto.tfvars.json` in each stack's folder, for its owner
   * alone. With true also for remote runs and in CI; then the output folder must not be uploaded as
   * an artifact. With false nowhere.
   *
   * @default - written, but not for stacks whose runs are remote (HCP Terraform: `CloudBackend`,
   * `RemoteBackend`), and not in CI: where a variable says so that npm's ci-info knows, unless CI
   * is `false`
   */
  readonly writeFile?: boolean;
  /**
   * Gets the values before {@link resolveTokens} is done; where no file is written, the way to hand
   * them on. What it throws fails the pass.
   */
  readonly onResolved?: (resolved: ResolvedTokens) => void | Promise<void>;
  /**
   * Environment variables: secrets of `SecretRef.env`, proxies, `IAM_TOKENS_ALLOWED_AUTH_URLS`, the
   * switches above.
   *
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Where progress and warnings go.
   *
   * @default process.stderr
   */
  readonly stream?: ProgressStream;
  /**
   * Milliseconds since 1970, for the seconds that progress shows.
   *
   * @default Date.now
   */
  readonly now?: () => number;
}

/** The options with all that was not given. */
export interface Settings {
  readonly skip: boolean;
  /** What the user said; by default each stack's own circumstances decide. */
  readonly writeFile: boolean | undefined;
  /** By what it is known, as part of a sentence. */
  readonly inCi: string | undefined;
  readonly onResolved: ((resolved: ResolvedTokens) => void | Promise<void>) | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stream: ProgressStream;
  readonly now: () => number;
}

/** The environment variable that skips the pass. */
const SKIP_VARIABLE = "IAM_TOKENS_SKIP_RESOLVE";

const KNOWN = ["skip", "writeFile", "onResolved", "environment", "stream", "now"];

/** @throws ERR_PROP_INVALID with all that is wrong with them */
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
    mistakes.add("ERR_PROP_INVALID", `${name} is ${shown(given[name])}.`, {
      allowed: `a value of type ${type}`,
    });
  }
  const environment = { ...(options?.environment ?? process.env) };
  const bySwitch = skipsBySwitch(environment[SKIP_VARIABLE], mistakes);
  const [first, ...rest] = mistakes.found;
  if (first !== undefined) {
    const others = rest.length === 0 ? "" : ` ${rest.length} more of the options are wrong.`;
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
    `The environment variable ${SKIP_VARIABLE} is ${shown(value)}.`,
    {
      allowed: "1, true, 0, false",
    },
  );
  return false;
}
