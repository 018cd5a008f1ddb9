import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { PlannedChange } from "../../plugin/provider";
import { quietly } from "../../plugin/quietly";
import { addressOf, IamTokensError, printable, shortened } from "../../tokens";
import { describeCredentials } from "../credentials/describe-credentials";
import type { ProviderBlock } from "../credentials/provider-block";
import type { CredentialDescription } from "../credentials/source";
import { assertAllowedAuthUrl } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";
import { toWanted, type Wanted } from "./wanted";

/**
 * For whom a token is issued, as one line of JSON: address, who signs in, scope. It decides about
 * the token but is not in its block. It is kept in the state as private data, in clear text,
 * because a plan must report what has changed; it contains no secret.
 */
export function issuedFor(description: CredentialDescription, { scope, expected }: Wanted): string {
  const { id, name } = expected?.project ?? {};
  return JSON.stringify({
    service: addressOf(description.authUrl),
    ...whoIn(description),
    ...(scope.kind === "account"
      ? { account: scope.account }
      : { project: scope.project ?? { id, name } }),
  });
}

function whoIn(subject: CredentialDescription): object {
  if (subject.way === "password") return { user: subject.user };
  if (subject.way === "application credential") return { credential: subject.by };
  const { identityProvider, protocol } = subject;
  return { identityProvider, protocol };
}

/**
 * Compares for whom the token in the state was issued and for whom one would be issued now. An
 * obstacle is why none could be: not yet an error, because planning needs no credentials. Reads
 * only secrets that are in clouds.yaml.
 */
export async function whyReplaced(
  { prior, config, private: privateData }: PlannedChange,
  block: ProviderBlock,
  processContext: ProcessContext,
): Promise<{ readonly reason?: string; readonly obstacle?: IamTokensError }> {
  // The scope decides about the request; while it is unknown, there is nothing to compare.
  const { scope, project_name, project_id } = config;
  if ([scope, project_name, project_id].includes(UNKNOWN)) return {};
  try {
    const description = await describeCredentials(block, processContext);
    assertAllowedAuthUrl(description.authUrl, processContext);
    const before = Buffer.from(privateData).toString();
    const issuedNow = (given: CtyObject) =>
      issuedFor(description, toWanted(given, description, processContext));
    const now = issuedNow(config);
    if (prior === null || before === now) return {};
    // The id of the same project, as the service said it: by ignore_changes.
    const isSameId = typeof project_id === "string" && project_id === prior.project_id;
    const byName = quietly(() => issuedNow({ ...config, project_id: null }));
    if (isSameId && before === byName) return {};
    const [was, is] = [before, now].map((each) => printable(shortened(each, 1_000)));
    const reason = `The token was issued for ${was || "(not recorded)"}, and would now be for ${is}.`;
    return { reason };
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return error.code === "ERR_CREDENTIALS_UNKNOWN" ? {} : { obstacle: error };
  }
}
