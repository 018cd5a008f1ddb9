import type { IssuedToken } from "../../identity";
import { describeCredentials } from "../../provider/credentials/describe-credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { withIamToken } from "../../provider/objects/token-attributes";
import { masked } from "../../provider/secrets/known-secrets";
import { headerNameOf, IamTokensError } from "../../tokens";
import { issueToken, processContextIn } from "../as-provider";
import { type CliCommand, EXIT } from "../command";
import { inShellWords } from "../shell-words";
import { assertNames } from "../usage";

/** The options, from commander. */
interface IssueOptions {
  readonly header?: true;
  readonly json?: true;
  readonly scope?: string;
  readonly project?: string;
  readonly projectId?: string;
  readonly cloud?: string;
  readonly show?: true;
}

/** `iam-tokens issue`. */
export const command: CliCommand = {
  masked,
  printsToken: true,
  description:
    "Issues one IAM token and prints it, with the credentials of the environment (OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME, OS_PASSWORD) " +
    "or of clouds.yaml, by the provider's rules. Secrets cannot be given as arguments, because arguments are visible to every user of the machine.",
  options: [
    [
      "--scope <scope>",
      "The token's scope. (default: project, with --project)",
      { choices: ["account", "project"] },
    ],
    [
      "--project <name>",
      "Name of the project. (default: OS_PROJECT_NAME, or what the cloud names, with --scope project)",
    ],
    ["--project-id <id>", "Id of the project, in place of --project."],
    ["--cloud <name>", "Entry of clouds.yaml. (default: OS_CLOUD)"],
    ["--header", "Print the whole header line.", { conflicts: ["json"] }],
    ["--json", "Print the token and its properties as JSON."],
    ["--show", "Print even to a terminal."],
  ],
  help: (called) => `  ${called} --project web --header | curl -H @- https://example.com
  TOKEN="$(${called} --scope account)"
  ${called} --project web --cloud prod --json | jq -r .expires_at

Exit code: 0 a token was issued, 1 it was not, 2 wrong arguments.`,

  action: async (command, { env, workingFolder, stdout, stderr, mask }) => {
    const options = command.opts<IssueOptions>();
    // First: what it says of an argument may repeat a secret of the environment.
    const context = processContextIn(workingFolder, env);
    const wanted = wantedOf(options);
    if (stdout.isTTY && options.show !== true) {
      throw new IamTokensError("ERR_USAGE", "The token would be printed to the terminal.", {
        remedy: "Redirect the output to a command or a file, or add --show.",
      });
    }
    try {
      const block = toProviderBlock({ cloud: options.cloud ?? null });
      const description = await describeCredentials(block, context);
      const issued = await issueToken(description, wanted, context);
      for (const sentence of issued.warnings) stderr.write(`iam-tokens: ${sentence}\n`);
      // First: `set -x` prints it.
      mask(issued.token);
      stdout.write(`${textOf(issued, options)}\n`);
      return EXIT.ok;
    } catch (error) {
      throw inShellWords(error);
    }
  },
};

/** The token in the requested form. */
export function textOf(issued: IssuedToken, { header, json }: IssueOptions): string {
  if (json) return JSON.stringify(withIamToken({}, issued), null, 2);
  return `${header ? `${headerNameOf(issued.kind)}: ` : ""}${issued.token.reveal()}`;
}

/**
 * The arguments of the token's block.
 *
 * @throws ERR_USAGE before anything is read
 */
function wantedOf(options: IssueOptions) {
  const { scope, project, projectId } = options;
  assertNames(options);
  const given = project === undefined ? projectId && "--project-id" : "--project";
  if (scope === undefined && given === undefined)
    throw new IamTokensError("ERR_USAGE", "No token is named: a scope has no default.", {
      remedy: "Give --scope account, or --project NAME.",
    });
  if (scope === "account" && given !== undefined)
    throw new IamTokensError("ERR_USAGE", `${given} is given with --scope account.`, {
      remedy: "Give one of them.",
    });
  return {
    ...{ scope: scope ?? "project", project_name: project ?? null },
    project_id: projectId ?? null,
  };
}
