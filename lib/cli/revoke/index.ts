import { named } from "../../provider/configuration/wording";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { createIdentityAccess } from "../../provider/process/identity-access";
import { type ProcessContext, variableOf } from "../../provider/process/process-context";
import { describeCredentials } from "../../provider/sources/describe-credentials";
import { type AuthUrl, IamTokensError, inert, parseAuthUrl } from "../../tokens";
import type { Action } from "../command";
import { processContextIn } from "../process-context";
import { usage } from "../usage";
import { lineOf, type Outcome, summaryOf } from "./outcome";
import { type InputOptions, readInput } from "./read-input";
import { revokeFound } from "./revoke-found";
import { type FoundToken, tokensInState } from "./state-tokens";

/** The options of `iam-tokens revoke`, from commander. */
export interface RevokeOptions extends InputOptions {
  readonly authUrl?: string;
  readonly json?: true;
}

/** How many tokens are in progress at a time. */
const AT_A_TIME = 8;

/** The action of `iam-tokens revoke`. */
export const action: Action<RevokeOptions> = async (
  options,
  _operands,
  { env, workingFolder, stdout, now, openStdin },
) => {
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
    const revoke = revokeFound({ context, identity, authUrl: elsewhere, now: now() });
    for await (const outcome of inOrder(found, AT_A_TIME, revoke)) {
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
  return outcomes.some(({ outcome }) => outcome === "may_still_live") ? 1 : 0;
};

/** The identity service of a token that is in no state. */
async function addressIn(context: ProcessContext): Promise<AuthUrl> {
  const address = variableOf(context, "OS_AUTH_URL");
  if (address !== undefined) return named("OS_AUTH_URL", () => parseAuthUrl(address));
  if (variableOf(context, "OS_CLOUD") !== undefined)
    return (await describeCredentials(toProviderBlock({}), context)).authUrl;
  throw new IamTokensError(
    "ERR_USAGE",
    "The identity service that issued the token is not given.",
    {
      remedy: "Add --auth-url ADDRESS, or set OS_AUTH_URL or OS_CLOUD.",
    },
  );
}

/** The results in the order of the items, each as soon as those before it are there. */
async function* inOrder<Item, Result>(
  items: readonly Item[],
  atATime: number,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const running: Promise<Result>[] = [];
  for (const item of items) {
    running.push(run(item));
    const first = running.length < atATime ? undefined : running.shift();
    if (first !== undefined) yield await first;
  }
  for (const each of running) yield await each;
}
