import { isDeepStrictEqual } from "node:util";
import type { Domain, Subject, User } from "../../identity";
import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { PlannedChange } from "../../plugin/provider";
import {
  addressOf,
  foldedName,
  IamTokensError,
  mayBeAt,
  parseUrl,
  printable,
  shortened,
} from "../../tokens";
import { describeCredentials } from "../credentials/describe-credentials";
import type { ProviderBlock } from "../credentials/provider-block";
import { toDomain } from "../credentials/references";
import type { CredentialDescription } from "../credentials/source";
import { assertAllowedAuthUrl } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";
import { toWanted, type Wanted } from "./wanted";

/** Stands for the project that an application credential has of its own. */
const PROJECT_OF_CREDENTIAL = "(the application credential's)";

/**
 * For whom a token is issued, as one line of JSON. It decides about the token but is not in its
 * block. It is kept in the state as private data, in clear text, because a plan must report what
 * has changed; it contains no secret.
 *
 * Names within the one account are strings, as in the first states; ids and names elsewhere are
 * objects.
 */
export function issuedFor(
  service: string,
  description: CredentialDescription,
  { scope, expected }: Wanted,
): string {
  const isAccount = scope.kind === "account";
  const { id, name = PROJECT_OF_CREDENTIAL, domain } = expected?.project ?? {};
  const project = id === undefined ? { name } : { id };
  const named = isAccount ? scope.account : id === undefined && domain ? toDomain(domain) : null;
  return JSON.stringify({
    service,
    account: named && nameOrId(named),
    user: whoOf(description, named),
    project: isAccount ? null : nameOrId(project),
  });
}

const nameOrId = (reference: Domain) => ("id" in reference ? reference : reference.name);

/** Who signs in: of a user, of an application credential, or who vouches for it. */
function whoOf(subject: Subject, account: Domain | null): unknown {
  const userIn = (user: User) =>
    "domain" in user && isDeepStrictEqual(user.domain, account) ? user.name : user;
  switch (subject.way) {
    case "password":
      return userIn(subject.user);
    case "application credential": {
      const { by } = subject;
      if ("id" in by) return by.id;
      const user = userIn(by.user);
      return typeof user === "string" ? `${user}/${by.name}` : { user, name: by.name };
    }
    case "identity token":
      return `${subject.identityProvider}/${subject.protocol}`;
  }
}

/**
 * The recorded service, if the state's token is of the one that issues now, or may be: a plan does
 * not ask a service for its version. Otherwise the given address.
 */
function serviceNow(
  { authUrl }: CredentialDescription,
  prior: CtyObject | null,
  before: string,
): string {
  const at = prior?.auth_url;
  const isThere = typeof at === "string" && parseUrl(at) !== undefined && mayBeAt(authUrl, at);
  return (isThere && /^{"service":"([^"]+)"/.exec(before)?.[1]) || addressOf(authUrl);
}

/** With names as databases compare them. */
function folded(issuedFor: string): string {
  try {
    return JSON.stringify(JSON.parse(issuedFor), (key, value) =>
      typeof value === "string" && key !== "id" && key !== "service" ? foldedName(value) : value,
    );
  } catch {
    return issuedFor;
  }
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
    const service = serviceNow(description, prior, before);
    const issuedNow = async (given: CtyObject) =>
      issuedFor(service, description, toWanted(given, description, processContext));
    const now = await issuedNow(config);
    if (prior === null || folded(before) === folded(now)) return {};
    // The id of the same project, as the service said it: given now, or by ignore_changes.
    if (typeof project_id === "string" && project_id === prior.project_id) {
      const byName = await issuedNow({ ...config, project_id: null }).catch(() => now);
      if (folded(before) === folded(byName)) return {};
    }
    const [was, is] = [before, now].map((each) => printable(shortened(each, 1_000)));
    const reason = `The token was issued for ${was || "(not recorded)"}, and would now be for ${is}.`;
    return { reason };
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return error.code === "ERR_CREDENTIALS_UNKNOWN" ? {} : { obstacle: error };
  }
}
