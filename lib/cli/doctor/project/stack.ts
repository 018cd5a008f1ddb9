import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  IAM_ROTATION,
  IAM_STATIC_TOKEN,
  IAM_TOKEN,
  PROVIDER_SOURCE,
  PROVIDER_TYPE,
} from "../../../provider/names";
import { addTo, fromHcl, isTable, own, type TerraformJson, tablesIn } from "./terraform-json";

/** A block that declares an IAM token. */
export interface DeclaredToken {
  /** The alias of the provider block that it is resolved by; undefined for the default one. */
  readonly alias: string | undefined;
  readonly config: TerraformJson;
}

/** A folder in which Terraform runs, and what its configuration says of the provider. */
export interface Stack {
  readonly name: string;
  readonly folder: string;
  /** Written by a synthesis: whatever is wrong there, the next one rights it. */
  readonly synthesized: boolean;
  /**
   * The version constraint; undefined when there is no requirement, "" when it names no version.
   */
  readonly required: string | undefined;
  /** Whether anything of this package is in it. */
  readonly concerned: boolean;
  readonly providerBlocks: readonly TerraformJson[];
  readonly tokens: readonly DeclaredToken[];
  readonly variables: readonly string[];
  /** Whether it has ephemeral blocks or variables, and arguments that are written only. */
  readonly needs: { readonly ephemerals: boolean; readonly writeOnly: boolean };
  /** Files that are not what Terraform could read. */
  readonly unreadable: readonly string[];
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Reads a folder; undefined when there is no configuration in it. */
export function readStack(name: string, folder: string, synthesized: boolean): Stack | undefined {
  const json: TerraformJson = {};
  const unreadable: string[] = [];
  const files = namesIn(folder).filter((file) => /\.(tf|tofu)(\.json)?$/.test(file));
  if (files.length === 0) return undefined;
  for (const file of files) {
    const content = readConfiguration(join(folder, file));
    if (content === undefined) unreadable.push(file);
    else addTo(json, content);
  }
  const required = requirementsIn(json);
  const ours = [...required].find(([, { source }]) => source === PROVIDER_SOURCE);
  const local = ours?.[0] ?? PROVIDER_TYPE;
  // A provider of somebody else may be called so, too.
  const foreign = ours === undefined && required.has(PROVIDER_TYPE);
  const providerBlocks = foreign ? [] : tablesIn(own(json.provider, local));
  const objects = foreign ? [] : objectsIn(json);
  return {
    name,
    folder,
    synthesized,
    required: ours === undefined ? undefined : (ours[1].version ?? ""),
    concerned: ours !== undefined || providerBlocks.length > 0 || objects.length > 0,
    providerBlocks,
    tokens: objects
      .filter(({ type }) => type === IAM_TOKEN)
      .map(({ config }) => ({ alias: aliasOf(config), config })),
    variables: Object.keys(isTable(json.variable) ? json.variable : {}),
    needs: {
      ephemerals: isTable(json.ephemeral) || variablesOf(json).some(isEphemeral),
      writeOnly: hasKey(json.resource, /_wo$/),
    },
    unreadable,
  };
}

/**
 * The text of an argument with Terraform's own folder put in; undefined when only Terraform knows
 * it.
 */
export function knownText(value: unknown, folder: string): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replaceAll(
    /\$\{\s*(?:abspath\(\s*path\.(?:root|cwd|module)\s*\)|path\.(?:root|cwd|module))\s*\}/g,
    () => folder,
  );
  return /[$%]\{/.test(text) ? undefined : text;
}

function readConfiguration(path: string): TerraformJson | undefined {
  try {
    const { size } = statSync(path);
    if (size > MAX_FILE_BYTES) return undefined;
    const text = readFileSync(path, "utf8");
    if (!path.endsWith(".json")) return fromHcl(text);
    const json: unknown = JSON.parse(text);
    return isTable(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function requirementsIn(
  json: TerraformJson,
): ReadonlyMap<string, { readonly source?: unknown; readonly version?: string }> {
  const found = new Map<string, { source?: unknown; version?: string }>();
  for (const terraform of tablesIn(json.terraform)) {
    for (const required of tablesIn(terraform.required_providers)) {
      for (const [name, { source, version }] of Object.entries(required).flatMap(([key, value]) =>
        tablesIn(value).map((table) => [key, table] as const),
      )) {
        found.set(name, { source, ...(typeof version === "string" ? { version } : {}) });
      }
    }
  }
  return found;
}

function objectsIn(
  json: TerraformJson,
): { readonly type: string; readonly config: TerraformJson }[] {
  return ["ephemeral", "data", "resource"].flatMap((kind) =>
    tablesIn(json[kind]).flatMap((types) =>
      [IAM_TOKEN, IAM_STATIC_TOKEN, IAM_ROTATION].flatMap((type) =>
        tablesIn(own(types, type)).flatMap((named) =>
          Object.values(named)
            .flatMap(tablesIn)
            .map((config) => ({ type, config })),
        ),
      ),
    ),
  );
}

function aliasOf({ provider }: TerraformJson): string | undefined {
  const [, alias] =
    /^(?:\$\{)?[\w-]+\.([\w-]+)\}?$/.exec(typeof provider === "string" ? provider : "") ?? [];
  return alias;
}

/** In HCL `true` is an expression. */
function isEphemeral({ ephemeral }: TerraformJson): boolean {
  return ephemeral === true || ephemeral === "${true}";
}

function variablesOf(json: TerraformJson): readonly TerraformJson[] {
  return tablesIn(json.variable).flatMap((variables) => Object.values(variables).flatMap(tablesIn));
}

/** Constructs write no deeper than this. */
function hasKey(value: unknown, pattern: RegExp, depth = 12): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return false;
  return Object.entries(value).some(
    ([name, inner]) => pattern.test(name) || hasKey(inner, pattern, depth - 1),
  );
}

/** The names in a folder; none when it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
