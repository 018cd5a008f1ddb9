import { isTable, type TerraformJson } from "../../hcl/json";
import type { Reached } from "../../identity";
import { assertAllowedAuthUrl } from "../../provider/credentials/allowed-auth-urls";
import { describeCredentials, readTlsFiles } from "../../provider/credentials/credentials";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import type { CredentialDescription } from "../../provider/credentials/source";
import { loadIdentity } from "../../provider/process/load-identity";
import {
  type ProcessContext,
  variableOf,
  variablesGiving,
} from "../../provider/process/process-context";
import { type AuthUrl, defined, parseAuthUrl } from "../../tokens";
import { isSecretArgument, PARTS } from "../../tokens/ways";
import { knownValue, type Stack } from "./project";

/** An identity service with the service user, from a provider block or the environment. */
export interface Service {
  /** For messages: `stack web, provider iam.identity`. */
  readonly about: string;
  readonly processContext: ProcessContext;
  /** Path of the construct that has declared the block, whose words messages have. */
  readonly declaredBy?: string;
  /**
   * Undefined if only Terraform can know them, if they are wrong, or if only an address is given.
   */
  readonly description?: CredentialDescription;
  readonly authUrl?: AuthUrl;
  /** Error of the credentials. */
  readonly error?: unknown;
  /** The argument that only Terraform knows. */
  readonly unknown?: string;
  /** Whether the secret is in the configuration itself. */
  readonly literalSecret: boolean;
  /** The stack's tokens from this service. */
  readonly tokens: readonly TerraformJson[];
}

/** Context for the search. */
interface ServiceContext {
  readonly stacks: readonly Stack[];
  readonly project: { readonly folder: string };
  processContextIn(folder: string): ProcessContext;
}

/**
 * One for each provider block that resolves an IAM token, or could; without any, the environment's.
 */
export async function servicesOf(context: ServiceContext): Promise<readonly Service[]> {
  const found: Service[] = [];
  for (const stack of context.stacks) {
    for (const block of blocksOf(stack)) found.push(await serviceOf(stack, block, context));
  }
  const processContext = context.processContextIn(context.project.folder);
  const given =
    variableOf(processContext, "OS_CLOUD") !== undefined ||
    PARTS.some((part) => variablesGiving(part, processContext).length > 0);
  if (found.length > 0 || !given) return found;
  const about = "the environment";
  return [await described({ about, processContext, literalSecret: false, tokens: [] }, {})];
}

/**
 * The default block counts if a token is resolved by it; synthesis always writes one, mostly
 * unused.
 */
function blocksOf({ providerBlocks, tokens }: Stack): readonly TerraformJson[] {
  const byDefault = tokens.some(({ alias }) => alias === undefined);
  const blocks = providerBlocks.filter(({ alias }) => typeof alias === "string" || byDefault);
  return byDefault && blocks.every(({ alias }) => alias !== undefined) ? [...blocks, {}] : blocks;
}

async function serviceOf(
  { name, folder, tokens }: Stack,
  block: TerraformJson,
  context: ServiceContext,
): Promise<Service> {
  const alias = typeof block.alias === "string" ? block.alias : undefined;
  const about = `stack ${name}, provider iam${alias === undefined ? "" : `.${alias}`}`;
  const config: Record<string, string | string[]> = {};
  let unknown: string | undefined;
  const { alias: _, ...given } = block;
  for (const [name, value] of Object.entries(given)) {
    const text = knownValue(value, folder);
    if (text !== undefined) config[name] = text;
    else if (value !== null && !isTable(value)) unknown ??= name;
  }
  const service = {
    about,
    processContext: context.processContextIn(folder),
    literalSecret:
      unknown === undefined &&
      Object.entries(given).some(
        ([name, value]) => isSecretArgument(name) && typeof value === "string",
      ),
    tokens: tokens.filter((token) => token.alias === alias).map(({ config }) => config),
    ...defined({ declaredBy: toProviderBlock(config).declared_by }),
  };
  if (unknown === undefined) return described(service, config);
  // The address alone can still be checked.
  const { auth_url: address } = config;
  try {
    const authUrl = typeof address === "string" ? parseAuthUrl(address) : undefined;
    return { ...service, unknown, ...defined({ authUrl }) };
  } catch (error) {
    return { ...service, error };
  }
}

async function described(
  service: Service,
  config: Readonly<Record<string, string | string[]>>,
): Promise<Service> {
  try {
    const block = toProviderBlock(config);
    const description = await describeCredentials(block, service.processContext);
    return { ...service, description, authUrl: description.authUrl };
  } catch (error) {
    return { ...service, error };
  }
}

/**
 * @throws the same as probe; ERR_ADDRESS_NOT_ALLOWED, because no request may go where secrets may
 * not; ERR_CERTIFICATE_INVALID for the files of the description
 */
export async function probeService(
  { authUrl, description, processContext }: Service,
  now: () => number,
): Promise<Reached> {
  if (authUrl === undefined) throw new TypeError("a service without an address");
  assertAllowedAuthUrl(authUrl, processContext);
  const tls = description && (await readTlsFiles(description, processContext));
  const extraCaFile = variableOf(processContext, "IAM_TOKENS_EXTRA_CA_CERTS");
  return loadIdentity().probe(authUrl.v3, {
    env: processContext.variables,
    now,
    ...defined({ extraCaFile, tls }),
  });
}
