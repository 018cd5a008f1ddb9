import type { IssueRequest } from "../../identity";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import type { CredentialDescription } from "../../provider/credentials/credential-description";
import { readCredential } from "../../provider/credentials/read-credential";
import { toIamTokenArguments, toScope } from "../../provider/objects/iam-token-arguments";
import { createIdentityAccess } from "../../provider/process/identity-access";
import type { Surroundings } from "../../provider/process/surroundings";
import { assertName, defined, IamTokensError, parseDuration, quote } from "../../tokens";
import type { Action } from "../command";
import { usage } from "../usage";
import { askPassword } from "./ask-password";
import { type AskPassword, describeForCommand } from "./credentials";
import { type TokenForm, tokenTextOf } from "./token-text";

/** The options of `iam-tokens issue`, as commander gives them. */
export interface IssueOptions extends TokenForm {
  readonly scope?: string;
  readonly project?: string;
  readonly cloud?: string;
  readonly passwordFile?: string;
  readonly minRemaining?: string;
  readonly show?: true;
}

/** What `iam-tokens issue` does. */
export const action: Action<IssueOptions> = async (
  options,
  _operands,
  { env, workingFolder, stdout, stderr },
) => {
  const toText = tokenTextOf(options);
  const scope = scopeOf(options);
  if (stdout.isTTY && options.show !== true) {
    throw new IamTokensError("ERR_USAGE", "The token would be shown on the terminal.", {
      remedy: "Send it into a command or a file, or add --show.",
    });
  }
  const surroundings: Surroundings = {
    variables: cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS"),
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
  const description = await describeForCommand(options, surroundings, ask);
  assertProject(scope, options, description);
  const { credential, tls } = await readCredential(description, surroundings);
  const request: IssueRequest = {
    credential,
    scope: toScope(wanted, description, surroundings),
    ...defined({ tls, minRemainingMs: wanted.minRemainingMs ?? undefined }),
  };
  const identity = createIdentityAccess(surroundings);
  const issued = await identity
    .client(() => {})
    .then((client) => client.issueOwn(request, new AbortController().signal))
    .finally(() => identity.close());
  const { remark } = description;
  for (const sentence of [...(remark === undefined ? [] : [remark]), ...issued.warnings])
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
  const giver = source === "cloud" ? "the cloud names none" : "OS_PROJECT_NAME is not set";
  throw new IamTokensError(
    "ERR_SCOPE_INVALID",
    `--scope is "project", and no project is named: ${giver}.`,
    { remedy: "Add --project NAME." },
  );
}

/** @throws ERR_USAGE for a wrong argument, before a password is asked for or anything is sent */
function scopeOf({ scope, project, cloud, minRemaining }: IssueOptions): "account" | "project" {
  // What a script's variable that is not set leaves of an option is empty: never a request for it.
  if (project !== undefined) usage("--project", () => assertName("the name", project));
  if (cloud !== undefined) usage("--cloud", () => assertName("the name", cloud));
  if (minRemaining !== undefined) usage("--min-remaining", () => parseDuration(minRemaining));
  if (scope === undefined && project === undefined) {
    throw new IamTokensError("ERR_USAGE", "Which token is not said: there is no default scope.", {
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
