import { describeCredentials } from "../../provider/credentials/credentials";
import { isOfProject } from "../../provider/credentials/of-project";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { ALLOWED_AUTH_URLS } from "../../provider/process/allow-list";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { type ProcessContext, variableOf } from "../../provider/process/process-context";
import { named } from "../../provider/wording";
import { type AuthUrl, IamTokensError, inert, parseAuthUrl } from "../../tokens";
import type { CliCommand } from "../command";
import { processContextIn } from "../process-context";
import { usage } from "../usage";
import { lineOf, mayLive, type Outcome, summaryOf } from "./outcome";
import { type InputOptions, readInput } from "./read-input";
import { revokeFound } from "./revoke-found";
import { type FoundToken, tokensInState } from "./state-tokens";

/** The options of `iam-tokens revoke`, from commander. */
export interface RevokeOptions extends InputOptions {
  readonly authUrl?: string;
  readonly json?: true;
}

/** `iam-tokens revoke`. */
export const command: CliCommand<RevokeOptions> = {
  declare: (command, called) =>
    void command
      .description(
        "Revokes a token that it reads from standard input, or every IAM token in a Terraform state or a backup of one. " +
          "It needs no password: a token revokes itself, at the identity service that issued it. Prints one line for each token, " +
          "with its fingerprint and its service. A token of a state that is already gone is not an error; a token itself that the service does not know is one. " +
          "Certificates: the PEM files in OS_CACERT (the service's authorities), OS_CERT and OS_KEY (a client's), or those of the cloud that OS_CLOUD names.",
      )
      .addOption(
        command
          .createOption("--env <name>", "Read the token from this environment variable instead.")
          .conflicts("state"),
      )
      .option(
        "--state <file>",
        'Revoke the tokens in this state or backup; "-" is standard input, where a state is also recognized without this option.',
      )
      .option(
        "--auth-url <address>",
        "Identity service of a token without a state, or of one whose state does not name it. (default: OS_AUTH_URL, or the address of the cloud OS_CLOUD)",
      )
      .option("--json", "Print the outcomes as a JSON array.")
      .addHelpText(
        "after",
        `
Examples:
  ${called} --state terraform.first.tfstate.backup
  terraform state pull | ${called}
  ${called} --env LEAKED_TOKEN --auth-url https://cloud.api.example.com

Exit code: 0 no token is valid any more, 1 one may still be, 2 wrong arguments.`,
      )
      .allowExcessArguments(false),

  action: async (options, _operands, { env, workingFolder, stdout, openStdin }) => {
    const context = processContextIn(workingFolder, env);
    const { authUrl: address } = options;
    const authUrl =
      address === undefined ? undefined : usage("--auth-url", () => parseAuthUrl(address));
    const input = await readInput(options, context, openStdin);
    const { place } = input;
    const found: readonly FoundToken[] =
      "state" in input
        ? tokensInState(place, input.state)
        : [{ places: [place], isStatic: undefined, attributes: { token: input.token.reveal() } }];
    const elsewhere = "state" in input ? authUrl : (authUrl ?? (await addressIn(context)));
    const identity = createIdentityAccess(context);
    const outcomes: Outcome[] = [];
    try {
      for (const each of found) {
        const outcome = await revokeFound(each, elsewhere, identity, context);
        outcomes.push(outcome);
        if (options.json !== true) stdout.write(lineOf(outcome));
      }
    } finally {
      await identity.close();
    }
    stdout.write(
      options.json === true
        ? `${inert(JSON.stringify(outcomes, null, 2))}\n`
        : summaryOf(place, outcomes),
    );
    return outcomes.some(mayLive) ? 1 : 0;
  },
};

/** The identity service of a token that is in no state. */
async function addressIn(context: ProcessContext): Promise<AuthUrl> {
  const address = variableOf(context, "OS_AUTH_URL");
  if (address !== undefined) return named("OS_AUTH_URL", () => parseAuthUrl(address));
  if (variableOf(context, "OS_CLOUD") !== undefined) return addressOfCloud(context);
  throw new IamTokensError(
    "ERR_USAGE",
    "The identity service that issued the token is not given.",
    {
      remedy: "Add --auth-url ADDRESS, or set OS_AUTH_URL or OS_CLOUD.",
    },
  );
}

/**
 * The address of the cloud that OS_CLOUD names. A file of the project, which may be a clone of
 * somebody's repository, must not decide where a token from elsewhere is sent: the cloud must have
 * the same address without the files of this folder, or the list of allowed addresses decides.
 */
async function addressOfCloud(context: ProcessContext): Promise<AuthUrl> {
  const describedFrom = (workingFolder: string) =>
    describeCredentials(toProviderBlock({}), { ...context, workingFolder });
  const { authUrl } = await describedFrom(context.workingFolder);
  if (context.variables[ALLOWED_AUTH_URLS] !== undefined) return authUrl;
  // No folder: a program is a file.
  const outside = await describedFrom(process.execPath).catch(() => undefined);
  const file = outside?.addressFile;
  if (outside?.authUrl.v3 === authUrl.v3 && file && !isOfProject(file, context.workingFolder))
    return authUrl;
  throw new IamTokensError(
    "ERR_ADDRESS_NOT_ALLOWED",
    `The address of the cloud that OS_CLOUD names, ${authUrl.v3}, comes from a file in this folder.`,
    {
      remedy: `Give --auth-url ADDRESS, or list the address in ${ALLOWED_AUTH_URLS}. The token was not sent.`,
    },
  );
}
