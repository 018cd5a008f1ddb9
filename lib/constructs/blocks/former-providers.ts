import { join } from "node:path";
import { readText } from "../../delivery/read-text";
import { isTable, member } from "../../hcl/json";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import { nearest } from "../props/props";
import { quoted } from "../props/quoted";
import { providerConfiguration } from "./block";

/** Far above the size of any stack's configuration. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/** The provider configurations of ours that a stack keeps without an identity service. */
export interface KeptProviders {
  /** The ids that the program gave, by alias. */
  readonly kept: ReadonlyMap<string, string>;
  /** Aliases of the identity services that are declared. */
  readonly declared: readonly string[];
}

/**
 * Errors in them, by comparison with the configuration of the previous synthesis. Without one, as
 * in a fresh checkout, or with none of our providers in it, there is nothing to compare.
 */
export function keptProviderErrors(
  stackFolder: string,
  { kept, declared }: KeptProviders,
): readonly IamTokensError[] {
  const path = join(stackFolder, "cdk.tf.json");
  const former = parse(readText(path, LIMIT_BYTES));
  const aliases = aliasesIn(former);
  if (aliases.length === 0) return [];
  const isThere = new Set([...aliases, ...declared]);
  const unknown = [...kept].filter(([alias]) => !isThere.has(alias));
  if (unknown.length > 0) return unknown.map(([alias, id]) => unknownId(id, alias, aliases, path));
  const leftOut = statefulAliasesIn(former).filter(
    (alias) => !kept.has(alias) && !declared.includes(alias),
  );
  return leftOut.map((alias) => forgotten(alias, path));
}

function unknownId(
  id: string,
  alias: string,
  aliases: readonly string[],
  path: string,
): IamTokensError {
  const meant = nearest(alias, aliases);
  return new IamTokensError(
    "ERR_KEEP_FOR_MISMATCH",
    `keepFor was given ${quoted(id)}, but the previous ${path} has no provider ${providerConfiguration(alias)}.`,
    {
      allowed: aliases.map(quoted).join(", "),
      remedy: `${meant === undefined ? "" : `Did you mean ${quoted(meant)}? `}If an earlier synthesis has removed it from that file, delete the file.`,
    },
  );
}

function forgotten(alias: string, path: string): IamTokensError {
  return new IamTokensError(
    "ERR_KEEP_FOR_MISMATCH",
    `The previous ${path} has tokens of ${providerConfiguration(alias)} in the state, but this provider is neither kept nor declared.`,
    {
      remedy: `Add ${quoted(alias)} to identities of keepFor, or keep its IdentityService for one more deploy.`,
    },
  );
}

function aliasesIn(former: unknown): readonly string[] {
  const required = member(member(former, "terraform"), "required_providers");
  if (member(member(required, PROVIDER_TYPE), "source") !== PROVIDER_SOURCE) return [];
  const blocks = member(member(former, "provider"), PROVIDER_TYPE);
  return (Array.isArray(blocks) ? blocks : [blocks])
    .map((block) => member(block, "alias"))
    .filter((alias) => typeof alias === "string");
}

/** Aliases that blocks in the state use: Terraform needs the provider to remove these blocks. */
function statefulAliasesIn(former: unknown): readonly string[] {
  const found = new Set<string>();
  for (const top of ["data", "resource"]) {
    for (const [type, blocks] of membersOf(member(former, top))) {
      if (!type.startsWith(`${PROVIDER_TYPE}_`)) continue;
      for (const [, block] of membersOf(blocks)) {
        const provider = member(block, "provider");
        if (typeof provider === "string" && provider.startsWith(providerConfiguration("")))
          found.add(provider.slice(providerConfiguration("").length));
      }
    }
  }
  return [...found];
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isTable(value) ? Object.entries(value) : [];
}
