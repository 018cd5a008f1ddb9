import { toProviderBlock } from "../../provider/credentials/provider-block";
import { type Service, serviceAt } from "../../provider/credentials/service";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { variableOf } from "../../provider/process/process-context";
import { masked } from "../../provider/secrets/known-secrets";
import {
  defined,
  fingerprintOf,
  IamTokensError,
  OWN_COMMAND,
  parseSharedAuthUrl,
  printableJson,
  type Secret,
} from "../../tokens";
import { processContextIn } from "../as-provider";
import { type CliCommand, EXIT } from "../command";
import { usage } from "../usage";
import { ask, type Question } from "./ask-service";
import { lineOf, type Outcome } from "./outcome";
import { readInput } from "./read-input";
import { type FoundToken, tokensInState } from "./state-tokens";

/** The options, from commander. */
interface TokenOptions {
  readonly state?: string;
  readonly authUrl?: string;
  readonly json?: true;
}

interface TokenCommand extends Pick<CliCommand, "description" | "help"> {
  /** The beginning of the help for `--state`. */
  readonly ofState: string;
  readonly question: Question;
  /** Whether the command is about this token of a state. */
  readonly isAbout: (found: FoundToken) => boolean;
  readonly summaryOf: (place: string, outcomes: readonly Outcome[]) => string;
  /** Whether the command succeeds. */
  readonly isGood: (outcomes: readonly Outcome[]) => boolean;
}

const COMMON =
  "Prints one line for each token, with its fingerprint. It needs no password. A token is sent to the given service alone. " +
  "Certificates: the PEM files in OS_CACERT (the service's authorities), OS_CERT and OS_KEY (a client's), or those of the cloud that OS_CLOUD names.";

/** A command that asks an identity service about the tokens of a state, or about one token. */
export function tokenCommand(verb: TokenCommand): CliCommand {
  return {
    masked,
    description: `${verb.description} ${COMMON}`,
    options: [
      [
        "--state <file>",
        `${verb.ofState} "-" is standard input, where a state is also recognized without this option.`,
      ],
      ["--auth-url <address>", "The identity service. (default: OS_AUTH_URL)"],
      ["--json", "Print the outcomes as a JSON array."],
    ],
    help: verb.help,

    action: async (command, { env, stdout, ...from }) => {
      const { authUrl, json, state } = command.opts<TokenOptions>();
      const context = processContextIn(from.workingFolder, env);
      const address = authUrl ?? variableOf(context, "OS_AUTH_URL");
      const option = authUrl === undefined ? "OS_AUTH_URL" : "--auth-url";
      if (address === undefined)
        throw new IamTokensError("ERR_USAGE", "The identity service is not given.", {
          remedy: "Add --auth-url ADDRESS, or set OS_AUTH_URL.",
        });
      const given = usage(option, () => parseSharedAuthUrl(address));
      const input = await readInput(state, from, `${OWN_COMMAND} ${command.name()}`);
      const { place } = input;
      const identity = createIdentityAccess(context);
      const outcomes: Outcome[] = [];
      try {
        const service = await serviceAt(given, toProviderBlock({}), identity, context);
        const client = identity.client(() => {});
        const found =
          "state" in input
            ? tokensInState(input.state).filter(verb.isAbout)
            : [givenToken(input.token, service, place)];
        // The client lets only some requests to a service run at a time.
        const answers = found.map((each) => ask(each, verb.question, service, client));
        // An answer that rejects is reported when its turn comes.
        for (const answer of answers) answer.catch(() => {});
        for (const answer of answers) {
          const outcome = await answer;
          outcomes.push(outcome);
          if (!json) stdout.write(lineOf(outcome));
        }
      } finally {
        await identity.close();
      }
      stdout.write(json ? `${printableJson(outcomes, 2)}\n` : verb.summaryOf(place, outcomes));
      return verb.isGood(outcomes) ? EXIT.ok : EXIT.failed;
    },
  };
}

/** A token by itself: whoever gives it with an address says that this service issued it. */
function givenToken(token: Secret, { authUrl }: Service, place: string): FoundToken {
  // Whole, as far as its form tells: of Fernet, the blocks of the cipher are complete.
  const isWhole =
    /^gAAAA[\w-]+={0,2}$/.test(token.reveal()) &&
    (Buffer.from(token.reveal(), "base64url").length - 57) % 16 === 0;
  const fingerprint = isWhole ? fingerprintOf(token) : undefined;
  const attributes = { token: token.reveal(), auth_url: authUrl.v3, ...defined({ fingerprint }) };
  return { places: [place], isStatic: undefined, attributes };
}
