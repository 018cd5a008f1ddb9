import { list } from "../../provider/configuration/wording";
import { assertVariableName } from "../../provider/secrets/secret-reference";
import { assertName, IamTokensError, parseAuthUrl, parseDuration, quote } from "../../tokens";
import { usage } from "../usage";
import type { IdentityOptions } from "./credentials";
import type { TokenForm } from "./token-text";

/** The options of `iam-tokens issue`, from commander. */
export interface IssueOptions extends TokenForm, IdentityOptions {
  readonly stack?: string;
  readonly token?: string;
  readonly scope?: string;
  readonly project?: string;
  readonly minRemaining?: string;
  readonly show?: true;
}

/** @throws ERR_USAGE for a wrong argument, before the password prompt and any request */
export function scopeOf(options: IssueOptions): "account" | "project" {
  const { scope, project, minRemaining } = options;
  // An unset variable of a script leaves an empty value: an error, and not a missing option.
  if (project !== undefined) usage("--project", () => assertName("the name", project));
  assertIdentity(options);
  if (minRemaining !== undefined) usage("--min-remaining", () => parseDuration(minRemaining));
  if (scope === undefined && project === undefined) {
    throw new IamTokensError("ERR_USAGE", "The scope is missing: there is no default.", {
      remedy: "Give --scope account, or --project NAME.",
    });
  }
  if (scope !== undefined && scope !== "account" && scope !== "project") {
    throw new IamTokensError("ERR_USAGE", `--scope is ${quote(scope)}.`, {
      allowed: '"account" and "project"',
    });
  }
  if (scope === "account" && project !== undefined) {
    throw new IamTokensError("ERR_USAGE", "--project is given with --scope account.", {
      remedy: "Give one of them.",
    });
  }
  return scope ?? "project";
}

/** @throws ERR_USAGE for an option beside a declared token, which decides all that it says */
export function assertAlone(options: IssueOptions): void {
  const others = {
    "--scope": options.scope,
    "--project": options.project,
    "--min-remaining": options.minRemaining,
    ...identityOptions(options),
  };
  const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
  if (other === undefined) return;
  throw new IamTokensError(
    "ERR_USAGE",
    `${other} is given with ${options.stack === undefined ? "--token" : "--stack"}: the declared token decides it.`,
    { remedy: `Remove ${other}, or give the token by options alone.` },
  );
}

const identityOptions = (options: IdentityOptions) => ({
  "--cloud": options.cloud,
  "--auth-url": options.authUrl,
  "--account": options.account,
  "--user": options.user,
  "--password-env": options.passwordEnv,
  "--password-file": options.passwordFile,
});

/** @throws ERR_USAGE for a part of a service user, or two places of something */
function assertIdentity(options: IdentityOptions): void {
  const { cloud, authUrl, account, user, passwordEnv, passwordFile } = options;
  if (cloud !== undefined) usage("--cloud", () => assertName("the name", cloud));
  if (authUrl !== undefined) usage("--auth-url", () => parseAuthUrl(authUrl));
  if (account !== undefined) usage("--account", () => assertName("the number", account));
  if (user !== undefined) usage("--user", () => assertName("the name", user));
  if (passwordEnv !== undefined)
    usage("--password-env", () => assertVariableName("the value", passwordEnv));
  const who = { "--auth-url": authUrl, "--account": account, "--user": user };
  const given = Object.entries(who).filter(([, value]) => value !== undefined);
  const lacking = Object.entries(who).filter(([, value]) => value === undefined);
  const names = (options: readonly (readonly [string, unknown])[]) =>
    list(options.map(([name]) => name));
  if (given.length > 0 && lacking.length > 0) {
    throw new IamTokensError(
      "ERR_USAGE",
      `${names(given)} ${given.length > 1 ? "are" : "is"} given without ${names(lacking)}: address, account and user come from one place.`,
      { remedy: `Add ${names(lacking)}.` },
    );
  }
  const two =
    cloud !== undefined && given.length > 0
      ? ["--cloud", "--auth-url"]
      : passwordEnv !== undefined && passwordFile !== undefined
        ? ["--password-env", "--password-file"]
        : undefined;
  if (two !== undefined) {
    throw new IamTokensError("ERR_USAGE", `${list(two)} are both given.`, {
      remedy: "Give one of them.",
    });
  }
}
