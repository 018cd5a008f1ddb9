import { describeCredentials } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { assertName, defined, IamTokensError, parseDuration } from "../../tokens";
import { issueToken, processContextIn } from "../as-provider";
import { type CliCommand, EXIT } from "../command";
import { readProject, type Stack } from "../stacks";
import { usage } from "../usage";
import { choicesIn, findDeclaredToken } from "./declared-token";
import { type TokenForm, tokenTextOf } from "./token-text";

/** The options, from commander. */
interface IssueOptions extends TokenForm {
  readonly stack?: string;
  readonly token?: string;
  readonly scope?: string;
  readonly project?: string;
  readonly projectId?: string;
  readonly cloud?: string;
  readonly minRemaining?: string;
  readonly show?: true;
}

/** They decide what the others say. */
const DECLARED = { conflicts: ["stack", "token"] };

/** `iam-tokens issue`. */
export const command: CliCommand = {
  description:
    "Issues one IAM token and prints it: one that a stack declares (--stack, --token), with its credentials; or one of --scope or " +
    "--project, with those of the environment (OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME, OS_PASSWORD) or of clouds.yaml, " +
    "by the provider's rules. Secrets cannot be given as arguments, because arguments are visible to every user of the machine.",
  options: [
    ["--stack <name>", "The synthesized stack of --token. (default: the only one)"],
    [
      "--token <name>",
      "A token of that stack, by id or path of its construct, or its name in Terraform. (default: the only one)",
    ],
    [
      "--scope <scope>",
      "The token's scope. (default: project, with --project)",
      { ...DECLARED, choices: ["account", "project"] },
    ],
    [
      "--project <name>",
      "Name of the project. (default: OS_PROJECT_NAME, or what the cloud names, with --scope project)",
      DECLARED,
    ],
    ["--project-id <id>", "Id of the project, in place of --project.", DECLARED],
    ["--cloud <name>", "Entry of clouds.yaml. (default: OS_CLOUD)", DECLARED],
    [
      "--min-remaining <duration>",
      "Least lifetime of the token, for example 8h. Fails if the service issues a shorter one.",
      DECLARED,
    ],
    ["--header", "Print the whole header line.", { conflicts: ["env", "json"] }],
    ["--env [name]", "Print POSIX shell lines that export the token. (default name: IAM_TOKEN)"],
    ["--json", "Print the token and its properties as JSON.", { conflicts: ["env"] }],
    ["--show", "Print even to a terminal."],
  ],
  help: (called) => `  ${called} --stack app --token project --header
  ${called} --project web --header | curl -H @- https://api.example.com/…
  eval "$(${called} --scope account --env)"
  ${called} --project web --cloud prod --json | jq -r .expires_at

Exit code: 0 a token was issued, 1 it was not, 2 wrong arguments.`,

  action: async (command, { env, workingFolder, stdout, stderr }) => {
    const options = command.opts<IssueOptions>();
    const toText = tokenTextOf(options);
    assertOptions(options);
    if (stdout.isTTY && options.show !== true) {
      throw new IamTokensError("ERR_USAGE", "The token would be printed to the terminal.", {
        remedy: "Redirect the output to a command or a file, or add --show.",
      });
    }
    const { stacks } = await readProject(workingFolder).catch((error: unknown) => {
      if (isDeclared(options)) throw error;
      return { stacks: [] };
    });
    const { folder, block, wanted } = requested(options, workingFolder, stacks);
    const context = processContextIn(folder, env);
    try {
      const description = await describeCredentials(toProviderBlock(block), context);
      const { issued } = await issueToken(description, wanted, context);
      for (const sentence of issued.warnings) stderr.write(`iam-tokens: ${sentence}\n`);
      stdout.write(toText(issued));
      return EXIT.ok;
    } catch (error) {
      throw isDeclared(options) ? error : withOptions(error, stacks);
    }
  },
};

const isDeclared = ({ stack, token }: IssueOptions) => stack !== undefined || token !== undefined;

/** With a remedy of this command in the place of the provider's. */
function withOptions(error: unknown, stacks: readonly Stack[]): unknown {
  if (!IamTokensError.is(error)) return error;
  const choices = choicesIn(stacks);
  const remedies: Partial<Record<string, string>> = {
    ERR_SCOPE_INVALID: "Give --project NAME or --project-id ID, or another --scope.",
    ERR_CREDENTIALS_MISSING: `Set OS_AUTH_URL, OS_USER_DOMAIN_NAME, OS_USERNAME and OS_PASSWORD, or name an entry of clouds.yaml with --cloud${choices === undefined ? "" : `; or have the credentials of a declared token: ${choices}`}.`,
  };
  const remedy = remedies[error.code];
  return remedy === undefined ? error : error.with({ remedy });
}

/**
 * The folder for relative files, the arguments of the provider block, and those of the token.
 *
 * @throws ERR_USAGE if no token is named
 */
function requested(options: IssueOptions, folder: string, stacks: readonly Stack[]) {
  const { stack, token, scope, project, projectId, cloud = null, minRemaining = null } = options;
  if (isDeclared(options)) return findDeclaredToken(defined({ stack, token }), stacks);
  if ((scope ?? project ?? projectId) !== undefined) {
    const named = { project_name: project ?? null, project_id: projectId ?? null };
    const wanted = { scope: scope ?? "project", ...named, min_remaining: minRemaining };
    return { folder, block: { cloud }, wanted };
  }
  const choices = choicesIn(stacks);
  throw new IamTokensError("ERR_USAGE", "No token is named: a scope has no default.", {
    remedy: `Give ${choices === undefined ? "" : `${choices}, or `}--scope account, or --project NAME.`,
  });
}

/** @throws ERR_USAGE for a wrong argument, before anything is read */
function assertOptions({ scope, project, projectId, cloud, minRemaining }: IssueOptions): void {
  // An unset variable of a script leaves an empty value: an error, and not a missing option.
  if (project !== undefined) usage("--project", () => assertName("the name", project));
  if (projectId !== undefined) usage("--project-id", () => assertName("the id", projectId));
  if (cloud !== undefined) usage("--cloud", () => assertName("the name", cloud));
  if (minRemaining !== undefined) usage("--min-remaining", () => parseDuration(minRemaining));
  const given = project === undefined ? projectId && "--project-id" : "--project";
  if (scope !== "account" || given === undefined) return;
  throw new IamTokensError("ERR_USAGE", `${given} is given with --scope account.`, {
    remedy: "Give one of them.",
  });
}
