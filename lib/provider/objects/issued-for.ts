import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { PlannedChange } from "../../plugin/provider";
import { IamTokensError, printable, shortened } from "../../tokens";
import { describeCredentials } from "../credentials/credentials";
import type { ProviderBlock } from "../credentials/provider-block";
import { nameOf } from "../credentials/source";
import { assertAllowedAuthUrl } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";
import { issuedForIn } from "./due-note";
import { toScope } from "./iam-token-arguments";

/** An application credential has a project of its own. */
const OWN_PROJECT = "(the application credential's)";

/**
 * For whom a token would be issued now, as one line of JSON. It decides about the token but is not
 * in its block. It is kept in the state as private data, in clear text, because a plan must report
 * what has changed; it contains no secret. Reads only secrets that are in clouds.yaml.
 *
 * @throws ERR_ADDRESS_NOT_ALLOWED, and as {@link describeCredentials} and {@link toScope}
 */
export async function issuedForNow(
  config: CtyObject,
  block: ProviderBlock,
  processContext: ProcessContext,
): Promise<string> {
  const description = await describeCredentials(block, processContext);
  assertAllowedAuthUrl(description.authUrl, processContext);
  const scope = toScope(config, description, processContext);
  return JSON.stringify({
    service: description.authUrl.v3,
    account: description.accountId ?? null,
    user: nameOf(description),
    project: scope.kind === "project" ? (scope.projectName ?? OWN_PROJECT) : null,
  });
}

/**
 * Compares for whom the token in the state was issued and for whom one would be issued now: as
 * sentences. An obstacle is why none could be: not yet an error, because planning needs no
 * credentials.
 */
export async function reasonToReplace(
  { prior, config, private: privateData }: PlannedChange,
  block: ProviderBlock,
  processContext: ProcessContext,
): Promise<{ reasons: readonly string[]; obstacle?: IamTokensError }> {
  // The scope decides about the request; while it is unknown, there is nothing to compare.
  if (config.scope === UNKNOWN || config.project_name === UNKNOWN) return { reasons: [] };
  try {
    const now = await issuedForNow(config, block, processContext);
    const before = issuedForIn(privateData);
    if (prior === null || before === now) return { reasons: [] };
    const [was, is] = [before, now].map((each) => printable(shortened(each, 1_000)));
    return {
      reasons: [`The token was issued for ${was || "(not recorded)"}, and would now be for ${is}.`],
    };
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return {
      reasons: [],
      ...(error.code === "ERR_CREDENTIALS_UNKNOWN" ? {} : { obstacle: error }),
    };
  }
}
