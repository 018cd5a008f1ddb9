import { describeCredentials } from "../../provider/credentials/credentials";
import { partVariables } from "../../provider/credentials/environment-source";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import type { CredentialDescription } from "../../provider/credentials/source";
import { type ProcessContext, variableOf } from "../../provider/process/process-context";
import { type AuthUrl, parseAuthUrl, type UnresolvedUrl } from "../../tokens";
import { processContextIn } from "../as-provider";
import type { CliContext } from "../cli-context";
import type { Arguments, DeclaredToken, Project } from "../stacks";

/** An identity service with its credentials: of equal provider blocks, or of the environment. */
export interface Service extends Arguments {
  readonly about: string;
  readonly stacks: readonly string[];
  readonly processContext: ProcessContext;
  /** Undefined if only Terraform can know them, or if they are wrong. */
  readonly description?: CredentialDescription;
  /** Also of a block of which only Terraform knows the rest. */
  readonly authUrl?: AuthUrl | UnresolvedUrl;
  /** The mistake in the credentials. */
  readonly error?: unknown;
  readonly requests: readonly DeclaredToken[];
}

/** A service, as the subject of a finding. */
export const subjectOf = ({ about, stacks }: Service) => ({ about, stacks });

/**
 * One for all equal provider blocks that issue a token, or could; without any, the environment's.
 */
export async function servicesOf(
  { stacks }: Project,
  folder: string,
  env: CliContext["env"],
): Promise<readonly Service[]> {
  const found = new Map<string, Service>();
  for (const { name, folder, blocks } of stacks) {
    for (const { alias, tokens, ...given } of blocks) {
      // Synthesis always writes a default block, mostly unused.
      if (alias === undefined && tokens.length === 0) continue;
      const about = `provider iam${alias === undefined ? "" : `.${alias}`}`;
      const key = JSON.stringify([about, given]);
      const { stacks = [], requests = [] } = found.get(key) ?? {};
      found.set(key, {
        ...{ about, ...given, processContext: processContextIn(folder, env) },
        stacks: [...stacks, name],
        requests: [...requests, ...tokens],
      });
    }
  }
  const processContext = processContextIn(folder, env);
  const isGiven =
    variableOf(processContext, "OS_CLOUD") !== undefined ||
    partVariables(processContext).length > 0;
  if (found.size === 0 && isGiven)
    found.set("", {
      ...{ about: "the environment", known: {}, unknown: undefined },
      ...{ processContext, stacks: [], requests: [] },
    });
  return Promise.all([...found.values()].map(described));
}

async function described(service: Service): Promise<Service> {
  const { known, unknown, processContext } = service;
  try {
    if (unknown !== undefined)
      return "auth_url" in known
        ? { ...service, authUrl: parseAuthUrl(`${known.auth_url}`) }
        : service;
    const description = await describeCredentials(toProviderBlock(known), processContext);
    return { ...service, description, authUrl: description.authUrl };
  } catch (error) {
    return { ...service, error };
  }
}
