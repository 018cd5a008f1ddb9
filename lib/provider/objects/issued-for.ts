import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { PlannedChange } from "../../plugin/provider";
import { defined, IamTokensError, quote } from "../../tokens";
import { assertAllowedAuthUrl } from "../credentials/allowed-auth-urls";
import type { CredentialDescription } from "../credentials/credential-description";
import type { ProviderBlock } from "../credentials/provider-block";
import type { Surroundings } from "../process/surroundings";
import { describeCredentials } from "../sources/describe-credentials";
import { toIamTokenArguments, toScope } from "./iam-token-arguments";

const FIELDS = ["service", "account", "user", "project"] as const;

/**
 * Whose token of which service it is, and of which project (null: of the account). It decides about
 * the token and does not stand in its block. Kept in the state as private data, in clear, since a
 * plan has to say what has changed; there is no secret in it.
 */
type IssuedFor = Readonly<Record<(typeof FIELDS)[number], string | null>>;

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

export function toPrivateData(issuedFor: IssuedFor): Uint8Array {
  return Buffer.from(JSON.stringify(issuedFor));
}

/** Undefined for what {@link toPrivateData} does not write, as in a state put together by hand. */
function fromPrivateData(bytes: Uint8Array): IssuedFor | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (typeof parsed !== "object" || parsed === null) return undefined;
    const isWritten = FIELDS.every((name) => {
      const value: unknown = Reflect.get(parsed, name);
      return typeof value === "string" || (name === "project" && value === null);
    });
    return isWritten ? (parsed as IssuedFor) : undefined;
  } catch {
    return undefined;
  }
}

/** What a plan can tell of it. */
interface Comparison {
  /** What is another one now, as sentences. */
  readonly reasons: readonly string[];
  /** Why none could be issued as things are: no error yet, as planning needs no credentials. */
  readonly obstacle?: IamTokensError;
  /** Why none may be issued, by the list of who runs this plan: nothing that is missing here. */
  readonly refusal?: IamTokensError;
}

/** Compares for whom the token of a state was issued with for whom one would be issued now. */
export async function whyForAnother(
  { prior, config, private: privateData }: PlannedChange,
  block: ProviderBlock,
  surroundings: Surroundings,
): Promise<Comparison> {
  let refusal: IamTokensError | undefined;
  try {
    const description = await describeCredentials(block, surroundings);
    refusal = refusalOf(description, surroundings);
    // The scope decides what is asked for; where it is not known yet, there is nothing to compare.
    const isOpen = config.scope === UNKNOWN || config.project_name === UNKNOWN;
    const now = isOpen ? undefined : issuedForBy(description, config, surroundings);
    const reasons =
      now === undefined || prior === null ? [] : differences(fromPrivateData(privateData), now);
    return { reasons, ...defined({ refusal }) };
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    const obstacle = error.code === "ERR_CREDENTIALS_UNKNOWN" ? undefined : error;
    return { reasons: [], ...defined({ refusal, obstacle }) };
  }
}

function refusalOf(
  { authUrl }: CredentialDescription,
  surroundings: Surroundings,
): IamTokensError | undefined {
  try {
    assertAllowedAuthUrl(authUrl, surroundings);
    return undefined;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return error;
  }
}

function differences(before: IssuedFor | undefined, now: IssuedFor): readonly string[] {
  if (before === undefined) return ["The state does not say for whom the token was issued."];
  return FIELDS.filter((name) => before[name] !== now[name]).map(
    (name) => `The ${name} is ${shown(now[name])} now; the token is for ${shown(before[name])}.`,
  );
}

const shown = (value: string | null) => (value === null ? "the account" : quote(value));
