import { createIdentityAccess } from "../../provider/process/identity-access";
import { masked } from "../../provider/secrets/known-secrets";
import { parseSharedAuthUrl, printableJson } from "../../tokens";
import { processContextIn } from "../as-provider";
import { type CliCommand, EXIT } from "../command";
import { usage } from "../usage";
import { createAsking, type Question } from "./ask-service";
import { callersAddresses } from "./callers-addresses";
import { lineOf, type Outcome } from "./outcome";
import { type InputOptions, readInput } from "./read-input";
import { type FoundToken, tokensInState } from "./state-tokens";

/** The options, from commander. */
interface TokenOptions extends InputOptions {
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
  "Prints one line for each token, with its fingerprint and its service. It needs no password. " +
  "Certificates: the PEM files in OS_CACERT (the service's authorities), OS_CERT and OS_KEY (a client's), or those of the cloud that OS_CLOUD names.";

/** A command that asks identity services about the tokens of a state, or about one token. */
export function tokenCommand(verb: TokenCommand): CliCommand {
  return {
    masked,
    description: `${verb.description} ${COMMON}`,
    options: [
      [
        "--env <name>",
        "Read the token from this environment variable instead.",
        { conflicts: ["state"] },
      ],
      [
        "--state <file>",
        `${verb.ofState} "-" is standard input, where a state is also recognized without this option.`,
      ],
      [
        "--auth-url <address>",
        "Identity service of a token without a state, or of one whose state does not name it; and a confirmation of an address that a state names. (default: OS_AUTH_URL, or the address of the cloud OS_CLOUD)",
      ],
      ["--json", "Print the outcomes as a JSON array."],
    ],
    help: verb.help,

    action: async (command, { program, env, workingFolder, stdout, openStdin }) => {
      const { authUrl: address, json, ...options } = command.opts<TokenOptions>();
      const context = processContextIn(workingFolder, env);
      const option =
        address === undefined ? undefined : usage("--auth-url", () => parseSharedAuthUrl(address));
      const called = `${program} ${command.name()}`;
      const input = await readInput(options, context, openStdin, called);
      const { place } = input;
      const isState = "state" in input;
      const found = isState ? tokensInState(input.state) : [single(place, input.token)];
      const addresses = await callersAddresses(option, isState, context);
      const identity = createIdentityAccess(context);
      const ask = createAsking(verb.question, addresses, identity, context);
      const outcomes: Outcome[] = [];
      try {
        // The client lets only some requests to a service run at a time.
        const answers = (isState ? found.filter(verb.isAbout) : found).map(ask);
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

const single = (place: string, token: { readonly reveal: () => string }): FoundToken => ({
  places: [place],
  isStatic: undefined,
  attributes: { token: token.reveal() },
});
