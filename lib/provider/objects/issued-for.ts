import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { PlannedChange } from "../../plugin/provider";
import { IamTokensError, quote } from "../../tokens";
import { assertAllowedAuthUrl } from "../credentials/allowed-auth-urls";
import type { CredentialDescription } from "../credentials/credential-description";
import type { ProviderBlock } from "../credentials/provider-block";
import type { Surroundings } from "../process/surroundings";
import { describeCredentials } from "../sources/describe-credentials";
import { toIamTokenArguments, toScope } from "./iam-token-arguments";

/**
 * Whose token of which service it is: what decides about the token and does not stand in its block.
 * Kept in the state as private data, in clear, since a plan has to say what has changed; there is
 * no secret in it.
 */
export interface IssuedFor {
  readonly service: string;
  readonly account: string;
  readonly user: string;
  /** Null for a token of the account. */
  readonly project: string | null;
}

/**
 * Whom a token would be issued for now. Reads no secret but those that stand in clouds.yaml.
 *
 * @throws as {@link describeCredentials} and {@link toScope}
 */
export async function issuedForNow(
  config: CtyObject,
  block: ProviderBlock,
  surroundings: Surroundings,
): Promise<IssuedFor> {
  return issuedForBy(await describeCredentials(block, surroundings), config, surroundings);
}

function issuedForBy(
  description: CredentialDescription,
  config: CtyObject,
  surroundings: Surroundings,
): IssuedFor {
  const scope = toScope(toIamTokenArguments(config), description, surroundings);
  return {
    service: description.authUrl.v3,
    account: description.accountId,
    user: description.userName,
    project: scope.kind === "project" ? scope.projectName : null,
  };
}

const FIELDS = ["service", "account", "user", "project"] as const;

export function toPrivateData(issuedFor: IssuedFor): Uint8Array {
  return Buffer.from(JSON.stringify(issuedFor));
}

/**
 * Undefined when it is not what {@link toPrivateData} writes, as in a state that was put together
 * by hand.
 */
function fromPrivateData(bytes: Uint8Array): IssuedFor | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const [service, account, user, project] = FIELDS.map((name): unknown =>
    Reflect.get(parsed, name),
  );
  if (typeof service !== "string" || typeof account !== "string" || typeof user !== "string")
    return undefined;
  return typeof project === "string" || project === null
    ? { service, account, user, project }
    : undefined;
}

/** What a plan can tell of it. */
interface Comparison {
  /** What is another one now, as sentences. */
  readonly reasons: readonly string[];
  /**
   * Why no token could be issued as things are; reading and planning need no credentials, so that
   * it is no error there.
   */
  readonly obstacle?: IamTokensError;
  /**
   * Why none may be issued, by the list of who runs this plan: not a thing that is missing here, as
   * credentials may be.
   */
  readonly refusal?: IamTokensError;
}

/** Compares for whom the token of a state was issued with for whom one would be issued now. */
export async function whyForAnother(
  { prior, config, private: privateData }: PlannedChange,
  block: ProviderBlock,
  surroundings: Surroundings,
): Promise<Comparison> {
  let refusal: Pick<Comparison, "refusal"> = {};
  try {
    const description = await describeCredentials(block, surroundings);
    refusal = refusalOf(description, surroundings);
    // The scope decides what is asked for; where it is not known yet, there is nothing to compare.
    if (config.scope === UNKNOWN || config.project_name === UNKNOWN)
      return { reasons: [], ...refusal };
    const current = issuedForBy(description, config, surroundings);
    return {
      reasons: prior === null ? [] : differences(fromPrivateData(privateData), current),
      ...refusal,
    };
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return {
      reasons: [],
      ...refusal,
      ...(error.code === "ERR_CREDENTIALS_UNKNOWN" ? {} : { obstacle: error }),
    };
  }
}

function refusalOf(
  { authUrl }: CredentialDescription,
  surroundings: Surroundings,
): Pick<Comparison, "refusal"> {
  try {
    assertAllowedAuthUrl(authUrl, surroundings);
    return {};
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return { refusal: error };
  }
}

function differences(before: IssuedFor | undefined, now: IssuedFor): readonly string[] {
  if (before === undefined) return ["The state does not say for whom the token was issued."];
  return FIELDS.filter((name) => before[name] !== now[name]).map(
    (name) => `The ${name} is ${shown(now[name])} now; the token is for ${shown(before[name])}.`,
  );
}

const shown = (value: string | null) => (value === null ? "the account" : quote(value));
