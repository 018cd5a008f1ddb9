import type { Reached } from "../../identity";
import { assertAllowedAuthUrl } from "../../provider/credentials/allowed-auth-urls";
import {
  type CredentialDescription,
  PIECES,
  variablesGiving,
} from "../../provider/credentials/credential-description";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { readTlsFiles } from "../../provider/credentials/read-credential";
import { loadIdentity } from "../../provider/process/load-identity";
import { type Surroundings, variableOf } from "../../provider/process/surroundings";
import { describeCredentials } from "../../provider/sources/describe-credentials";
import { type AuthUrl, defined, parseAuthUrl } from "../../tokens";
import { knownText, type Stack } from "./project";
import { isTable, type TerraformJson } from "./terraform-json";

/** An identity service with the service user that a provider block, or the environment, names. */
export interface Service {
  /** For messages: `stack web, provider iam.identity`. */
  readonly about: string;
  readonly surroundings: Surroundings;
  /**
   * Undefined when only Terraform can know them, when they are wrong, or when an address alone is
   * given.
   */
  readonly description?: CredentialDescription;
  readonly authUrl?: AuthUrl;
  /** What is wrong with the credentials. */
  readonly error?: unknown;
  /** The argument that only Terraform knows. */
  readonly unknown?: string;
  /** The password stands in the configuration itself. */
  readonly literalPassword: boolean;
  /** The tokens that the stack has of it. */
  readonly tokens: readonly TerraformJson[];
}

/** What is needed to find them. */
interface Surrounded {
  readonly stacks: readonly Stack[];
  readonly project: { readonly folder: string };
  surroundingsIn(folder: string): Surroundings;
}

/**
 * Each provider block once that resolves an IAM token, or could; the environment where there is
 * none.
 */
export async function servicesOf(scene: Surrounded): Promise<readonly Service[]> {
  const found: Service[] = [];
  for (const stack of scene.stacks) {
    for (const block of blocksOf(stack)) found.push(await serviceOf(stack, block, scene));
  }
  const surroundings = scene.surroundingsIn(scene.project.folder);
  const given =
    variableOf(surroundings, "OS_CLOUD") !== undefined ||
    PIECES.some((piece) => variablesGiving(piece, surroundings).length > 0);
  if (found.length > 0 || !given) return found;
  const about = "the environment";
  return [await described({ about, surroundings, literalPassword: false, tokens: [] }, {})];
}

/**
 * The default block counts when something is resolved by it; synthesis always writes one, mostly
 * for nothing.
 */
function blocksOf({ providerBlocks, tokens }: Stack): readonly TerraformJson[] {
  const byDefault = tokens.some(({ alias }) => alias === undefined);
  const blocks = providerBlocks.filter(({ alias }) => typeof alias === "string" || byDefault);
  return byDefault && blocks.every(({ alias }) => alias !== undefined) ? [...blocks, {}] : blocks;
}

async function serviceOf(
  { name, folder, tokens }: Stack,
  block: TerraformJson,
  scene: Surrounded,
): Promise<Service> {
  const alias = typeof block.alias === "string" ? block.alias : undefined;
  const about = `stack ${name}, provider iam${alias === undefined ? "" : `.${alias}`}`;
  const config: Record<string, string> = {};
  let unknown: string | undefined;
  const { alias: _, ...given } = block;
  for (const [name, value] of Object.entries(given)) {
    const text = knownText(value, folder);
    if (text !== undefined) config[name] = text;
    else if (value !== null && !isTable(value)) unknown ??= name;
  }
  const service = {
    about,
    surroundings: scene.surroundingsIn(folder),
    literalPassword: unknown === undefined && typeof given.password === "string",
    tokens: tokens.filter((token) => token.alias === alias).map(({ config }) => config),
  };
  if (unknown === undefined) return described(service, config);
  // The address alone can be reached all the same.
  const { auth_url: address } = config;
  try {
    const authUrl = address === undefined ? undefined : parseAuthUrl(address);
    return { ...service, unknown, ...defined({ authUrl }) };
  } catch (error) {
    return { ...service, error };
  }
}

async function described(
  service: Service,
  config: Readonly<Record<string, string>>,
): Promise<Service> {
  try {
    const block = toProviderBlock(config);
    const description = await describeCredentials(block, service.surroundings);
    return { ...service, description, authUrl: description.authUrl };
  } catch (error) {
    return { ...service, error };
  }
}

/**
 * @throws as probe; ERR_ADDRESS_NOT_ALLOWED, as no request goes where no secret may go;
 * ERR_CERTIFICATE_INVALID for the files of the description
 */
export async function reach(
  { authUrl, description, surroundings }: Service,
  now: () => number,
): Promise<Reached> {
  if (authUrl === undefined) throw new TypeError("a service without an address");
  assertAllowedAuthUrl(authUrl, surroundings);
  const tls = description && (await readTlsFiles(description, surroundings));
  const extraCaFile = variableOf(surroundings, "IAM_TOKENS_EXTRA_CA_CERTS");
  return loadIdentity().probe(authUrl.v3, {
    env: surroundings.variables,
    now,
    ...defined({ extraCaFile, tls }),
  });
}
