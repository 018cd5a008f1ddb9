import { existsSync, readdirSync } from "node:fs";
import { basename, join, normalize, resolve } from "node:path";
import { isTable, member, type TerraformJson, tablesIn } from "../hcl/json";
import { IAM_TOKEN, PROVIDER_SOURCE, PROVIDER_TYPE } from "../provider/names";
import { readRegularFile } from "../provider/secrets/read-regular-file";
import { escaped, IamTokensError } from "../tokens";

/** A folder in which Terraform runs, and whose configuration requires the provider. */
export interface Stack {
  readonly name: string;
  readonly folder: string;
  /** Of its cdk.tf.json; empty for plain HCL, which Terraform alone reads. */
  readonly terraform: TerraformJson;
  readonly providerBlocks: readonly TerraformJson[];
  readonly tokens: readonly DeclaredToken[];
}

/** A block that declares an IAM token. */
export interface DeclaredToken {
  /** Its name in Terraform. */
  readonly name: string;
  /** The path of its construct; in its absence, the name. */
  readonly path: string;
  /** The alias of its provider block; undefined for the default one. */
  readonly alias: string | undefined;
  readonly config: TerraformJson;
}

/** What a folder holds. */
export interface Project {
  /** Whether it is one of the CDKTF command line, which has a cdktf.json. */
  readonly cdktf: boolean;
  readonly stacks: readonly Stack[];
}

/**
 * The stacks with the provider in a project, in its output folder, or the one in a folder.
 *
 * @throws ERR_USAGE for a file that is not a JSON object
 */
export async function readProject(folder: string): Promise<Project> {
  const settings = join(folder, "cdktf.json");
  const cdktf = existsSync(settings);
  const output = cdktf ? ((await readJson(settings)).output ?? "cdktf.out") : ".";
  const below = resolve(folder, String(output), "stacks");
  const folders = existsSync(below) ? readdirSync(below).map((name) => join(below, name)) : [];
  const read = await Promise.all([...(cdktf ? [] : [folder]), ...folders.sort()].map(readStack));
  return { cdktf, stacks: read.filter((stack) => stack !== undefined) };
}

async function readStack(folder: string): Promise<Stack | undefined> {
  const name = basename(folder);
  const file = join(folder, "cdk.tf.json");
  if (!existsSync(file)) {
    const plain = { name, folder, terraform: {}, providerBlocks: [], tokens: [] };
    return (await requiresProvider(folder)) ? plain : undefined;
  }
  const json = await readJson(file);
  const terraform = tablesIn(json.terraform)[0] ?? {};
  const required = tablesIn(terraform.required_providers).flatMap(Object.values).filter(isTable);
  if (!required.some(({ source }) => source === PROVIDER_SOURCE)) return undefined;
  return {
    name,
    folder,
    terraform,
    providerBlocks: tablesIn(member(json.provider, PROVIDER_TYPE)),
    tokens: ["ephemeral", "data", "resource"].flatMap((kind) => tokensIn(json[kind])),
  };
}

async function requiresProvider(folder: string): Promise<boolean> {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  for (const file of files.filter((name) => /\.(?:tf|tofu)(?:\.json)?$/.test(name))) {
    const reading = await readRegularFile(join(folder, file));
    if ("content" in reading && reading.content.includes(PROVIDER_SOURCE)) return true;
  }
  return false;
}

function tokensIn(blocks: unknown): readonly DeclaredToken[] {
  return tablesIn(member(blocks, IAM_TOKEN)).flatMap((named) =>
    Object.entries(named).flatMap(([name, value]) =>
      tablesIn(value).map((config) => {
        const path = member(member(config["//"], "metadata"), "path");
        const [, alias] = /^iam\.([\w-]+)$/.exec(String(config.provider)) ?? [];
        return {
          name,
          path: typeof path === "string" ? path.replace(/\/Default$/, "") : name,
          alias,
          config,
        };
      }),
    ),
  );
}

/**
 * The arguments of a block as the provider gets them, without what constructs add for people; and
 * the first one that only Terraform knows.
 */
export function knownArguments(
  block: TerraformJson,
  folder: string,
): {
  readonly known: Readonly<Record<string, string | readonly string[]>>;
  readonly unknown: string | undefined;
} {
  const known: Record<string, string | readonly string[]> = {};
  let unknown: string | undefined;
  for (const [name, value] of Object.entries(block)) {
    if (value === null || name === "//" || name === "alias") continue;
    const texts = [value].flat().map((each) => knownText(each, folder));
    const whole = texts.filter((text) => text !== undefined);
    const [only = ""] = whole;
    if (whole.length < texts.length) unknown ??= name;
    else known[name] = Array.isArray(value) ? whole : only;
  }
  return { known, unknown };
}

/** With the path of Terraform's folder, which constructs write in front of relative files. */
function knownText(value: unknown, folder: string): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replaceAll(
    /\$\{(?:abspath\(path\.root\)|path\.(?:root|module|cwd))\}/g,
    () => folder,
  );
  if (/[$%]\{/.test(text)) return undefined;
  return text === value ? text : normalize(text);
}

const LIMIT_BYTES = 64 * 1024 * 1024;

async function readJson(path: string): Promise<TerraformJson> {
  const reading = await readRegularFile(path, { limit: LIMIT_BYTES });
  let why = "why" in reading ? reading.why : "is not a JSON object";
  try {
    const json: unknown = "content" in reading && JSON.parse(String(reading.content));
    if (isTable(json)) return json;
  } catch {
    why = "is not JSON";
  }
  throw new IamTokensError("ERR_USAGE", `The file ${escaped(path)} ${why}.`, {
    remedy: "Synthesize again, or correct it.",
  });
}
