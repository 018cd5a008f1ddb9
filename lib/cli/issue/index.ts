import { describeCredentials } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import type { CredentialDescription } from "../../provider/credentials/source";
import { toIamTokenArguments } from "../../provider/objects/iam-token-arguments";
import { IamTokensError, quote } from "../../tokens";
import { hasOwnProject } from "../../tokens/ways";
import type { Action } from "../command";
import { issueToken } from "../issue-token";
import { processContextIn } from "../process-context";
import { askPassword } from "./ask-password";
import { type AskPassword, describeForCommand } from "./credentials";
import { findDeclaredToken } from "./declared-token";
import { assertAlone, type IssueOptions, scopeOf } from "./options";
import { tokenTextOf } from "./token-text";

/** The action of `iam-tokens issue`. */
export const action: Action<IssueOptions> = async (
  options,
  _operands,
  { env, workingFolder, stdout, stderr },
) => {
  const toText = tokenTextOf(options);
  const declared = options.stack !== undefined || options.token !== undefined;
  if (declared) assertAlone(options);
  const scope = declared ? undefined : scopeOf(options);
  if (stdout.isTTY && options.show !== true) {
    throw new IamTokensError("ERR_USAGE", "The token would be printed to the terminal.", {
      remedy: "Redirect the output to a command or a file, or add --show.",
    });
  }
  const found = declared ? await findDeclaredToken(options, workingFolder) : undefined;
  const context = processContextIn(found?.folder ?? workingFolder, env);
  const ask: AskPassword = async (user) =>
    process.stdin.isTTY
      ? askPassword(`Password of ${quote(user)}: `, process.stdin, stderr.write)
      : undefined;
  const wanted = toIamTokenArguments(
    found?.token ?? {
      scope: scope ?? null,
      project_name: options.project ?? null,
      min_remaining: options.minRemaining ?? null,
    },
  );
  const description =
    found === undefined
      ? await describeForCommand(options, context, ask)
      : await describeCredentials(toProviderBlock(found.provider), context);
  if (scope !== undefined) assertProject(scope, options, description);
  const { issued } = await issueToken(description, wanted, context);
  for (const sentence of issued.warnings) stderr.write(`iam-tokens: ${sentence}\n`);
  stdout.write(toText(issued));
  return 0;
};

function assertProject(
  scope: string,
  { project }: IssueOptions,
  { project: named, source, way }: CredentialDescription,
): void {
  if (scope !== "project" || project !== undefined || named !== undefined) return;
  if (hasOwnProject(way)) return;
  const why = {
    block: "",
    cloud: ": the cloud has none",
    environment: ": OS_PROJECT_NAME is not set",
  };
  throw new IamTokensError(
    "ERR_SCOPE_INVALID",
    `--scope is "project", but no project is given${why[source]}.`,
    { remedy: "Add --project NAME." },
  );
}
