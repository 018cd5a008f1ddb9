import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { PlannedChange } from "../../plugin/provider";
import { defined, IamTokensError, quote } from "../../tokens";
import { assertAllowedAuthUrl } from "../credentials/allowed-auth-urls";
import { describeCredentials } from "../credentials/credentials";
import type { ProviderBlock } from "../credentials/provider-block";
import { type CredentialDescription, nameOf } from "../credentials/source";
import type { ProcessContext } from "../process/process-context";
import { toIamTokenArguments, toScope } from "./iam-token-arguments";
import { type IamSession, inWordsOf } from "./token-source";

const FIELDS = ["service", "account", "user", "project"] as const;

/** An application credential has an account and a project of its own. */
const OPTIONAL: readonly string[] = ["account", "project"];
const OWN_PROJECT = "(the application credential's)";

/**
 * The service, the user and the project (null: the account) of a token. They decide about the token
 * but are not in its block. They are kept in the state as private data, in clear text, because a
 * plan must report what has changed; they contain no secret.
 */
type IssuedFor = Readonly<Record<(typeof FIELDS)[number], string | null>>;

/**
 * For whom a token would be issued now. Reads only secrets that are in clouds.yaml.
 *
 * @throws as {@link describeCredentials} and {@link toScope}
 */
export async function issuedForNow(
  config: CtyObject,
  block: ProviderBlock,
  processContext: ProcessContext,
): Promise<IssuedFor> {
  return issuedForBy(await describeCredentials(block, processContext), config, processContext);
}

function issuedForBy(
  description: CredentialDescription,
  config: CtyObject,
  processContext: ProcessContext,
): IssuedFor {
  const scope = toScope(toIamTokenArguments(config), description, processContext);
  return {
    service: description.authUrl.v3,
    account: description.accountId ?? null,
    user: nameOf(description),
    project: scope.kind === "project" ? (scope.projectName ?? OWN_PROJECT) : null,
  };
}

export function toPrivateData(issuedFor: IssuedFor): Uint8Array {
  return Buffer.from(JSON.stringify(issuedFor));
}

/**
 * Undefined for data that {@link toPrivateData} does not write, for instance after an edit of the
 * state.
 */
function fromPrivateData(bytes: Uint8Array): IssuedFor | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    if (typeof parsed !== "object" || parsed === null) return undefined;
    const isWritten = FIELDS.every((name) => {
      const value: unknown = Reflect.get(parsed, name);
      return typeof value === "string" || (OPTIONAL.includes(name) && value === null);
    });
    return isWritten ? (parsed as IssuedFor) : undefined;
  } catch {
    return undefined;
  }
}

/** The facts that a plan can determine. */
interface Comparison {
  /** Changes since then, as sentences. */
  readonly reasons: readonly string[];
  /** Why no token could be issued now: not yet an error, because planning needs no credentials. */
  readonly obstacle?: IamTokensError;
  /** Why this pipeline's list of addresses allows no token: an error in the plan already. */
  readonly refusal?: IamTokensError;
}

/** Compares for whom the token in the state was issued and for whom one would be issued now. */
export async function reasonToReplace(
  { prior, config, private: privateData }: PlannedChange,
  session: Pick<IamSession, "block" | "attached">,
  processContext: ProcessContext,
): Promise<Comparison> {
  const { block } = session;
  let refusal: IamTokensError | undefined;
  try {
    const description = await describeCredentials(block, processContext);
    refusal = refusalOf(description, processContext);
    // The scope decides about the request; while it is unknown, there is nothing to compare.
    const isOpen = config.scope === UNKNOWN || config.project_name === UNKNOWN;
    const now = isOpen ? undefined : issuedForBy(description, config, processContext);
    const reasons =
      now === undefined || prior === null ? [] : differences(fromPrivateData(privateData), now);
    return { reasons, ...defined({ refusal: inWordsOf(session, refusal) }) };
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    const obstacle = error.code === "ERR_CREDENTIALS_UNKNOWN" ? undefined : error;
    return {
      reasons: [],
      ...defined({
        refusal: inWordsOf(session, refusal),
        obstacle: inWordsOf(session, obstacle),
      }),
    };
  }
}

function refusalOf(
  { authUrl }: CredentialDescription,
  processContext: ProcessContext,
): IamTokensError | undefined {
  try {
    assertAllowedAuthUrl(authUrl, processContext);
    return undefined;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    return error;
  }
}

function differences(before: IssuedFor | undefined, now: IssuedFor): readonly string[] {
  if (before === undefined)
    return ["The state does not record for which user and scope the token was issued."];
  return FIELDS.filter((name) => before[name] !== now[name]).map(
    (name) =>
      `The ${name} is now ${textOf(name, now[name])}; the token is for ${textOf(name, before[name])}.`,
  );
}

function textOf(name: (typeof FIELDS)[number], value: string | null): string {
  if (value !== null) return quote(value);
  return name === "project" ? "the account" : "that of the application credential";
}
