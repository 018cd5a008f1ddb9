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

/** An identity service with its credentials, from equal provider blocks or the environment. */
export interface Service {
  readonly subject: Pick<Finding, "about" | "stacks">;
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
 * One for each distinct provider block that resolves an IAM token, or could; without any, the
 * environment's.
 */
export async function servicesOf(
  { stacks }: Project,
  folder: string,
  env: CliContext["env"],
): Promise<readonly Service[]> {
  const blocks = new Map<string, Block>();
  for (const stack of stacks) {
    for (const block of blocksOf(stack)) {
      const key = JSON.stringify([block.alias, block.known, block.unknown]);
      const same = blocks.get(key);
      blocks.set(key, {
        ...block,
        stacks: [...(same?.stacks ?? []), ...block.stacks],
        requests: [...(same?.requests ?? []), ...block.requests],
      });
    }
  }
  const found = [...blocks.values()].map((block) => serviceOf(block, env));
  const processContext = processContextIn(folder, env);
  const isGiven =
    variableOf(processContext, "OS_CLOUD") !== undefined ||
    PARTS.some((part) => variablesGiving(part, processContext).length > 0);
  if (found.length > 0 || !isGiven) return Promise.all(found);
  const subject = { about: "the environment" };
  return [await described({ subject, processContext, requests: [] }, {})];
}

/** Equal provider blocks of stacks. */
interface Block {
  readonly alias: unknown;
  readonly folder: string;
  readonly stacks: readonly string[];
  readonly known: Known;
  readonly unknown: string | undefined;
  readonly requests: readonly Known[];
}

/**
 * The default block counts if a token is resolved by it; synthesis always writes one, mostly
 * unused.
 */
function blocksOf({ name, folder, providerBlocks, tokens }: Stack): readonly Block[] {
  const byDefault = tokens.some(({ alias }) => alias === undefined);
  const used = providerBlocks.filter(({ alias }) => typeof alias === "string" || byDefault);
  return used.map((block) => {
    // The construct's path differs where all else is equal.
    const { declared_by: _, ...arguments_ } = block;
    const requests = tokens
      .filter(({ alias }) => alias === (block.alias ?? undefined))
      .map(({ config: { scope, project_name = null } }) => ({ scope, project_name }))
      .map((request) => knownArguments(request, folder))
      .flatMap(({ known, unknown }) => (unknown === undefined ? [known] : []));
    return {
      alias: block.alias,
      folder,
      stacks: [name],
      requests,
      ...knownArguments(arguments_, folder),
    };
  });
}

function serviceOf(
  { alias, folder, stacks, known, unknown, requests }: Block,
  env: CliContext["env"],
): Promise<Service> {
  const about = `provider iam${typeof alias === "string" ? `.${alias}` : ""}`;
  const processContext = processContextIn(folder, env);
  const service = { subject: { about, stacks }, processContext, requests };
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
