import type { TerraformJson } from "../../hcl/json";
import { describeCredentials } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import type { CredentialDescription } from "../../provider/credentials/source";
import {
  type ProcessContext,
  variableOf,
  variablesGiving,
} from "../../provider/process/process-context";
import { type AuthUrl, parseAuthUrl } from "../../tokens";
import { PARTS } from "../../tokens/ways";
import type { CliContext } from "../cli-context";
import { processContextIn } from "../process-context";
import { knownArguments, type Project, type Stack } from "../stacks";
import type { Finding } from "./finding";

/** An identity service with its credentials, from a provider block or the environment. */
export interface Service {
  readonly subject: Pick<Finding, "about" | "stacks">;
  /** Equal for equal blocks: what is true of one is true of the others. */
  readonly key: string;
  readonly processContext: ProcessContext;
  /** Undefined if only Terraform can know them, or if they are wrong. */
  readonly description?: CredentialDescription;
  /** Also of a block of which only Terraform knows the rest. */
  readonly authUrl?: AuthUrl;
  /** What is wrong with the credentials. */
  readonly error?: unknown;
  /** The argument that only Terraform knows. */
  readonly unknown?: string;
  /** What the declared tokens request: scope, and name of a project. */
  readonly requests: readonly Known[];
}

type Known = ReturnType<typeof knownArguments>["known"];

/**
 * One for each provider block that resolves an IAM token, or could; without any, the environment's.
 */
export async function servicesOf(
  { stacks }: Project,
  folder: string,
  env: CliContext["env"],
): Promise<readonly Service[]> {
  const found = stacks.flatMap((stack) =>
    blocksOf(stack).map((block) => serviceOf(block, stack, processContextIn(stack.folder, env))),
  );
  const processContext = processContextIn(folder, env);
  const isGiven =
    variableOf(processContext, "OS_CLOUD") !== undefined ||
    PARTS.some((part) => variablesGiving(part, processContext).length > 0);
  if (found.length > 0 || !isGiven) return Promise.all(found);
  const subject = { about: "the environment" };
  return [await described({ subject, key: "", processContext, requests: [] }, {})];
}

/**
 * The default block counts if a token is resolved by it; synthesis always writes one, mostly
 * unused.
 */
function blocksOf({ providerBlocks, tokens }: Stack): readonly TerraformJson[] {
  const byDefault = tokens.some(({ alias }) => alias === undefined);
  return providerBlocks.filter(({ alias }) => typeof alias === "string" || byDefault);
}

function serviceOf(
  { alias, declared_by: _, ...block }: TerraformJson,
  { name, folder, tokens }: Stack,
  processContext: ProcessContext,
): Promise<Service> {
  const { known, unknown } = knownArguments(block, folder);
  const requests = tokens
    .filter((token) => token.alias === (alias ?? undefined))
    .map(({ config: { scope, project_name = null } }) =>
      knownArguments({ scope, project_name }, folder),
    )
    .flatMap((request) => (request.unknown === undefined ? [request.known] : []));
  const about = `provider iam${typeof alias === "string" ? `.${alias}` : ""}`;
  const subject = { about, stacks: [name] };
  const service = { subject, key: JSON.stringify([known, unknown]), processContext, requests };
  return unknown === undefined
    ? described(service, known)
    : attempt(service, async () => ({ unknown, authUrl: parseAuthUrl(String(known.auth_url)) }));
}

function described(service: Service, known: Known): Promise<Service> {
  return attempt(service, async () => {
    const description = await describeCredentials(toProviderBlock(known), service.processContext);
    return { description, authUrl: description.authUrl };
  });
}

async function attempt(
  service: Service,
  find: () => Promise<Pick<Service, "description" | "authUrl" | "unknown">>,
): Promise<Service> {
  try {
    return { ...service, ...(await find()) };
  } catch (error) {
    return { ...service, error };
  }
}
