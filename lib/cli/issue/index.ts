import type { IssueRequest } from "../../identity";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import type { CredentialDescription } from "../../provider/credentials/credential-description";
import { readCredential } from "../../provider/credentials/read-credential";
import { toIamTokenArguments, toScope } from "../../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { type ProcessContext, takeVariables } from "../../provider/process/process-context";
import { assertName, defined, IamTokensError, parseDuration, quote } from "../../tokens";
import type { Action } from "../command";
import { usage } from "../usage";
import { askPassword } from "./ask-password";
import { type AskPassword, describeForCommand } from "./credentials";
import { type TokenForm, tokenTextOf } from "./token-text";

/** The options of `iam-tokens issue`, from commander. */
export interface IssueOptions extends TokenForm {
  readonly scope?: string;
  readonly project?: string;
  readonly cloud?: string;
  readonly passwordFile?: string;
  readonly minRemaining?: string;
  readonly show?: true;
}

/** The action of `iam-tokens issue`. */
export const action: Action<IssueOptions> = async (
  options,
  _operands,
  { env, workingFolder, stdout, stderr },
) => {
  const toText = tokenTextOf(options);
  const scope = scopeOf(options);
  if (stdout.isTTY && options.show !== true) {
    throw new IamTokensError("ERR_USAGE", "The token would be printed to the terminal.", {
      remedy: "Redirect the output to a command or a file, or add --show.",
    });
  }
  const context: ProcessContext = {
    variables: takeVariables(cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS")),
    workingFolder,
    attached: false,
  };
  const ask: AskPassword = async (user) =>
    process.stdin.isTTY
      ? askPassword(`Password of ${quote(user)}: `, process.stdin, stderr.write)
      : undefined;
  const wanted = toIamTokenArguments({
    scope,
    project_name: options.project ?? null,
    min_remaining: options.minRemaining ?? null,
  });
  const description = await describeForCommand(options, context, ask);
  assertProject(scope, options, description);
  const { credential, tls } = await readCredential(description, context);
  const request: IssueRequest = {
    credential,
    scope: toScope(wanted, description, context),
    ...defined({ tls, minRemainingMs: wanted.minRemainingMs ?? undefined }),
  };
  const identity = createIdentityAccess(context);
  const issued = await identity
    .client(() => {})
    .then((client) => client.issueOwn(request, new AbortController().signal))
    .finally(() => identity.close());
  const { warning } = description;
  for (const sentence of [...(warning === undefined ? [] : [warning]), ...issued.warnings])
    stderr.write(`iam-tokens: ${sentence}\n`);
  stdout.write(toText(issued));
  return 0;
};

function assertProject(
  scope: string,
  { project }: IssueOptions,
  { project: named, source }: CredentialDescription,
): void {
  if (scope !== "project" || project !== undefined || named !== undefined) return;
  const giver = source === "cloud" ? "the cloud has none" : "OS_PROJECT_NAME is not set";
  throw new IamTokensError(
    "ERR_SCOPE_INVALID",
    `--scope is "project", but no project is given: ${giver}.`,
    { remedy: "Add --project NAME." },
  );
}

/** @throws ERR_USAGE for a wrong argument, before the password prompt and any request */
function scopeOf({ scope, project, cloud, minRemaining }: IssueOptions): "account" | "project" {
  // An unset variable of a script leaves an empty value: an error, and not a missing option.
  if (project !== undefined) usage("--project", () => assertName("the name", project));
  if (cloud !== undefined) usage("--cloud", () => assertName("the name", cloud));
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
