import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isTable, member, type TerraformJson, tablesIn } from "../../hcl/json";
import {
  IAM_ROTATION,
  IAM_STATIC_TOKEN,
  IAM_TOKEN,
  PROVIDER_SOURCE,
  PROVIDER_TYPE,
} from "../../provider/names";
import { namesIn, readFile } from "./files";
import { fromHcl, mergeInto } from "./terraform-json";

/** The folder to check. */
export interface Project {
  readonly folder: string;
  /** A CDKTF project has stacks below its output folder; any other folder is one stack, or none. */
  readonly cdktf: boolean;
  /** Why its cdktf.json is not valid. */
  readonly problem?: string;
  readonly stacks: readonly Stack[];
}

/**
 * Reads a project of CDK for Terraform, its output folder, or a folder of plain Terraform.
 */
export async function readProject(folder: string): Promise<Project> {
  const cdktfJson = join(folder, "cdktf.json");
  if (!existsSync(cdktfJson)) {
    const synthesized = existsSync(join(folder, "cdk.tf.json"));
    const stack = await readStack(basename(folder) || "/", folder, synthesized);
    return { folder, cdktf: false, stacks: stack ? [stack] : await stacksIn(folder) };
  }
  const read = await readConfiguration(cdktfJson);
  if (typeof read === "string") {
    const problem = `cdktf.json ${read === NO_CONFIGURATION ? "is not a JSON object" : read}.`;
    return { folder, cdktf: true, problem, stacks: [] };
  }
  const { output } = read;
  const named = typeof output === "string" && output !== "" ? output : "cdktf.out";
  return { folder, cdktf: true, stacks: await stacksIn(resolve(folder, named)) };
}

/**
 * The stacks of an output folder, which may be checked alone: later steps of a pipeline often have
 * nothing else.
 */
async function stacksIn(output: string): Promise<readonly Stack[]> {
  const stacks = join(output, "stacks");
  const found = namesIn(stacks).map((name) => readStack(name, join(stacks, name), true));
  return (await Promise.all(found)).filter((stack) => stack !== undefined);
}

/** A block that declares a token or a rotation. */
export interface DeclaredToken {
  /** `iam_token` and the like. */
  readonly type: string;
  /** Its name in Terraform. */
  readonly name: string;
  /** The alias of its provider block; undefined for the default one. */
  readonly alias: string | undefined;
  readonly config: TerraformJson;
}

/** A folder in which Terraform runs, and its configuration of the provider. */
export interface Stack {
  readonly name: string;
  readonly folder: string;
  /** Written by a synthesis: the next one fixes any error in it. */
  readonly synthesized: boolean;
  /** Whether it has a folder of providers (terraform.d). */
  readonly hasPlugins: boolean;
  /**
   * The version constraint; undefined without a requirement, "" for one without a version.
   */
  readonly required: string | undefined;
  /** Whether it uses this package. */
  readonly concerned: boolean;
  readonly providerBlocks: readonly TerraformJson[];
  readonly tokens: readonly DeclaredToken[];
  readonly variables: readonly string[];
  /** Whether it has ephemeral blocks or variables, and write-only arguments. */
  readonly needs: { readonly ephemerals: boolean; readonly writeOnly: boolean };
  /** Files that Terraform could not read, and why. */
  readonly unreadable: readonly { readonly file: string; readonly why: string }[];
}

/** For a file that can be read. */
export const NO_CONFIGURATION = "is not a valid configuration";

/** Reads a folder; undefined if it contains no configuration. */
async function readStack(
  name: string,
  folder: string,
  synthesized: boolean,
): Promise<Stack | undefined> {
  const json: TerraformJson = {};
  const unreadable: { file: string; why: string }[] = [];
  const files = namesIn(folder).filter((file) => /\.(tf|tofu)(\.json)?$/.test(file));
  if (files.length === 0) return undefined;
  for (const file of files) {
    const content = await readConfiguration(join(folder, file));
    if (typeof content === "string") unreadable.push({ file, why: content });
    else mergeInto(json, content);
  }
  const required = requirementsIn(json);
  const ours = [...required].find(([, { source }]) => source === PROVIDER_SOURCE);
  const local = ours?.[0] ?? PROVIDER_TYPE;
  // Another publisher's provider may have the same name.
  const foreign = ours === undefined && required.has(PROVIDER_TYPE);
  const providerBlocks = foreign ? [] : tablesIn(member(json.provider, local));
  const [tokens = [], ...others] = foreign
    ? []
    : [IAM_TOKEN, IAM_STATIC_TOKEN, IAM_ROTATION].map((type) => objectsIn(json, type));
  const variables = tablesIn(json.variable).flatMap(Object.values).flatMap(tablesIn);
  return {
    name,
    folder,
    synthesized,
    hasPlugins: existsSync(join(folder, "terraform.d")),
    required: ours && (typeof ours[1].version === "string" ? ours[1].version : ""),
    concerned: ours !== undefined || [providerBlocks, tokens, ...others].flat().length > 0,
    providerBlocks,
    tokens,
    variables: Object.keys(isTable(json.variable) ? json.variable : {}),
    needs: {
      ephemerals: isTable(json.ephemeral) || variables.some(isEphemeral),
      writeOnly: hasKey(json.resource, /_wo$/),
    },
    unreadable,
  };
}

/**
 * The string of an argument with the path of Terraform's own folder; undefined if only Terraform
 * knows it.
 */
export function knownText(value: unknown, folder: string): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replaceAll(
    /\$\{\s*(?:abspath\(\s*path\.(?:root|cwd|module)\s*\)|path\.(?:root|cwd|module))\s*\}/g,
    () => folder,
  );
  return /[$%]\{/.test(text) ? undefined : text;
}

/** The same, and of a list (a command) if each of its elements is known. */
export function knownValue(value: unknown, folder: string): string | string[] | undefined {
  if (!Array.isArray(value)) return knownText(value, folder);
  const texts = value.map((each) => knownText(each, folder)).filter((each) => each !== undefined);
  return texts.length === value.length ? texts : undefined;
}

async function readConfiguration(path: string): Promise<TerraformJson | string> {
  const reading = await readFile(path);
  if ("failure" in reading) return reading.why;
  const text = String(reading.content);
  if (!path.endsWith(".json")) return fromHcl(text) ?? NO_CONFIGURATION;
  try {
    const json: unknown = JSON.parse(text);
    return isTable(json) ? json : NO_CONFIGURATION;
  } catch {
    return NO_CONFIGURATION;
  }
}

/** The requirements by their local names. */
function requirementsIn(json: TerraformJson): ReadonlyMap<string, TerraformJson> {
  const required = tablesIn(json.terraform).flatMap((block) => tablesIn(block.required_providers));
  return new Map(
    required
      .flatMap(Object.entries)
      .flatMap(([name, value]) => tablesIn(value).map((table) => [name, table] as const)),
  );
}

/** The blocks of a type of ours, for every kind of object. */
function objectsIn(json: TerraformJson, type: string): readonly DeclaredToken[] {
  return ["ephemeral", "data", "resource"]
    .flatMap((kind) => tablesIn(json[kind]))
    .flatMap((types) => tablesIn(member(types, type)))
    .flatMap((named) =>
      Object.entries(named).flatMap(([name, blocks]) =>
        tablesIn(blocks).map((config) => ({ type, name, alias: aliasOf(config), config })),
      ),
    );
}

function aliasOf({ provider }: TerraformJson): string | undefined {
  const [, alias] =
    /^(?:\$\{)?[\w-]+\.([\w-]+)\}?$/.exec(typeof provider === "string" ? provider : "") ?? [];
  return alias;
}

/** In HCL, `true` is an expression. */
function isEphemeral({ ephemeral }: TerraformJson): boolean {
  return ephemeral === true || ephemeral === "${true}";
}

/** Constructs do not nest deeper than this. */
function hasKey(value: unknown, pattern: RegExp, depth = 12): boolean {
  if (typeof value !== "object" || value === null || depth === 0) return false;
  return Object.entries(value).some(
    ([name, inner]) => pattern.test(name) || hasKey(inner, pattern, depth - 1),
  );
}
