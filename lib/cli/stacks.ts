import { existsSync, readdirSync } from "node:fs";
import { basename, join, normalize, resolve } from "node:path";
import { isTable, member, type TerraformJson, tablesIn } from "../hcl/json";
import { IAM_TOKEN, PROVIDER_SOURCE, PROVIDER_TYPE } from "../provider/names";
import { readRegularFile } from "../provider/secrets/read-regular-file";
import { escaped, IamTokensError } from "../tokens";

/** A synthesized stack that requires the provider, or a folder of plain HCL. */
export interface Stack {
  readonly name: string;
  readonly folder: string;
  /** Of its cdk.tf.json; empty for plain HCL, which Terraform alone reads. */
  readonly terraform: TerraformJson;
  readonly blocks: readonly ProviderBlock[];
  /** Whether a provider block of OpenStack's has a token of the stack. */
  readonly forOpenstack: boolean;
}

/** Arguments of a block, with those that are known without Terraform. */
export interface Arguments {
  /** As the provider gets them. */
  readonly known: Readonly<Record<string, string | readonly string[]>>;
  /** The first one that only Terraform knows. */
  readonly unknown: string | undefined;
}

/** A provider block, and the IAM tokens that it issues. */
export interface ProviderBlock extends Arguments {
  /** Undefined for the default one. */
  readonly alias: string | undefined;
  readonly tokens: readonly DeclaredToken[];
}

/** A block that declares an IAM token, with the arguments that say which one to issue. */
export interface DeclaredToken extends Arguments {
  /** Its name in Terraform. */
  readonly name: string;
  /** The path of its construct in the stack; in its absence, the name. */
  readonly path: string;
}

/** The project in a folder. */
export interface Project {
  /** Whether it is one of the CDKTF command line, which has a cdktf.json. */
  readonly cdktf: boolean;
  readonly stacks: readonly Stack[];
}

/**
 * The stacks with the provider in a project (also one without cdktf.json) or its output folder, or
 * the one in a folder.
 *
 * @throws ERR_USAGE for a file that is not a JSON object
 */
export async function readProject(folder: string): Promise<Project> {
  const settings = join(folder, "cdktf.json");
  const cdktf = existsSync(settings);
  const names = cdktf ? [] : readdirSync(folder);
  const outputs = cdktf
    ? [String((await readJson(settings)).output ?? "cdktf.out")]
    : // Whatever name a program gives its output folder, that has the list of its stacks.
      [".", ...names.filter((name) => existsSync(join(folder, name, "manifest.json")))];
  const folders = outputs
    .map((output) => resolve(folder, output, "stacks"))
    .filter((below) => existsSync(below))
    .flatMap((below) => readdirSync(below).map((name) => join(below, name)));
  const read = await Promise.all([...(cdktf ? [] : [folder]), ...folders.sort()].map(readStack));
  const stacks = read.filter((stack) => stack !== undefined);
  if (stacks.length > 0 || !names.some((name) => PLAIN.test(name))) return { cdktf, stacks };
  const plain = { name: basename(folder), folder, terraform: {}, blocks: [], forOpenstack: false };
  return { cdktf, stacks: [plain] };
}

const PLAIN = /\.(?:tf|tofu)(?:\.json)?$/;

async function readStack(folder: string): Promise<Stack | undefined> {
  const name = basename(folder);
  const file = join(folder, "cdk.tf.json");
  if (!existsSync(file)) return undefined;
  const json = await readJson(file);
  const [terraform = {}] = tablesIn(json.terraform);
  const required = tablesIn(terraform.required_providers).flatMap(Object.values);
  if (!required.some((each) => member(each, "source") === PROVIDER_SOURCE)) return undefined;
  const blocks = blocksIn(json, name, folder);
  return { name, folder, terraform, blocks, forOpenstack: takesToken(json) };
}

function takesToken(json: TerraformJson): boolean {
  const blocks = tablesIn(member(json.provider, "openstack"));
  return blocks.some(({ token }) => String(token).includes(IAM_TOKEN));
}

function blocksIn(json: TerraformJson, stack: string, folder: string): readonly ProviderBlock[] {
  const tokens = ["ephemeral", "data", "resource"]
    .flatMap((kind) => tablesIn(member(json[kind], IAM_TOKEN)))
    .flatMap(Object.entries)
    .flatMap(([name, value]) => tablesIn(value).map((config) => ({ name, config })));
  return tablesIn(member(json.provider, PROVIDER_TYPE)).map(({ alias: given, ...block }) => {
    const alias = typeof given === "string" ? given : undefined;
    const address = alias === undefined ? PROVIDER_TYPE : `${PROVIDER_TYPE}.${alias}`;
    const own = tokens.filter(({ config: { provider = PROVIDER_TYPE } }) => provider === address);
    return {
      alias,
      ...toArguments(block, folder),
      tokens: own.map(({ name, config }) => {
        const { scope, project_name, project_id, min_remaining } = config;
        const path = member(member(config["//"], "metadata"), "path");
        return {
          name,
          path: typeof path === "string" ? pathIn(stack, path) : name,
          ...toArguments({ scope, project_name, project_id, min_remaining }, folder),
        };
      }),
    };
  });
}

/** CDKTF calls the block in a construct "Default". */
function pathIn(stack: string, path: string): string {
  const construct = path.replace(/\/Default$/, "");
  return construct.startsWith(`${stack}/`) ? construct.slice(stack.length + 1) : construct;
}

/** The arguments of a block without what constructs add for messages. */
function toArguments(block: TerraformJson, folder: string): Arguments {
  const known: Record<string, string | readonly string[]> = {};
  let unknown: string | undefined;
  for (const [name, value] of Object.entries(block)) {
    if (value === null || value === undefined || name === "declared_by") continue;
    const texts = [value].flat().map((each) => knownText(each, folder));
    const whole = texts.filter((text) => text !== undefined);
    if (whole.length < texts.length) unknown ??= name;
    else known[name] = Array.isArray(value) ? whole : String(whole[0]);
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
