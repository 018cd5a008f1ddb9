import { statSync } from "node:fs";
import { join } from "node:path";
import { isTable, member, type TerraformJson, tablesIn } from "../../hcl/json";
import { namesIn, readFile } from "./files";
import { fromHcl } from "./terraform-json";

/** A configuration file of Terraform's or OpenTofu's command line. */
export interface CliConfigurationFile {
  readonly path: string;
  /** Undefined if it cannot be read. */
  readonly content?: TerraformJson | undefined;
  /** A variable names it, but it does not exist: Terraform only warns and continues. */
  readonly missing?: true;
  /** Why it cannot be read. */
  readonly why?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The files that Terraform, or OpenTofu, reads here: the one that a variable names, otherwise those
 * in the home folder.
 *
 * @param openTofu prefers files of its own, and uses Terraform's if it has none
 */
export async function cliConfigurationFiles(
  env: Variables,
  openTofu: boolean,
): Promise<readonly CliConfigurationFile[]> {
  return Promise.all(pathsOf(env, openTofu).map(readConfiguration));
}

/**
 * The files in the home folder that either of them may read. A variable that names a file is not
 * passed on to the programs that the doctor runs.
 */
export function possibleConfigurationFiles(env: Variables): readonly string[] {
  const { TF_CLI_CONFIG_FILE: _, TERRAFORM_CONFIG: __, ...others } = env;
  return [false, true].flatMap((openTofu) => pathsOf(others, openTofu));
}

function pathsOf(env: Variables, openTofu: boolean): readonly string[] {
  const named = env.TF_CLI_CONFIG_FILE || env.TERRAFORM_CONFIG;
  if (named) return [named];
  if (process.platform === "win32") return pathsOnWindows(env.APPDATA, openTofu);
  const home = env.HOME;
  if (!home) return [];
  const xdg = openTofu && env.XDG_CONFIG_HOME ? [join(env.XDG_CONFIG_HOME, "opentofu")] : [];
  const mains = openTofu
    ? [
        join(home, ".tofurc"),
        join(home, ".terraformrc"),
        ...xdg.map((folder) => join(folder, "tofurc")),
      ]
    : [join(home, ".terraformrc")];
  return firstOf(mains, [join(home, ".terraform.d"), ...xdg]);
}

function pathsOnWindows(data: string | undefined, openTofu: boolean): readonly string[] {
  if (!data) return [];
  const mains = openTofu ? ["tofu.rc", "terraform.rc"] : ["terraform.rc"];
  return firstOf(
    mains.map((name) => join(data, name)),
    [join(data, "terraform.d")],
  );
}

/** The first existing file, and those in the first existing folder. */
function firstOf(mains: readonly string[], folders: readonly string[]): readonly string[] {
  return [
    ...mains.filter(isThere).slice(0, 1),
    ...folders
      .filter(isFolder)
      .slice(0, 1)
      .flatMap((folder) =>
        namesIn(folder)
          .filter((name) => /\.tfrc(\.json)?$/.test(name))
          .map((name) => join(folder, name)),
      ),
  ];
}

/** A string in the configuration, from the first file that has it. */
export function settingOf(
  files: readonly CliConfigurationFile[],
  name: string,
): string | undefined {
  return files
    .map(({ content }) => member(content, name))
    .find((value) => typeof value === "string");
}

/** The provider_installation blocks of a file. */
export function installationsIn({ content }: CliConfigurationFile): readonly TerraformJson[] {
  return tablesIn(member(content, "provider_installation"));
}

async function readConfiguration(path: string): Promise<CliConfigurationFile> {
  const reading = await readFile(path);
  if ("failure" in reading)
    return reading.failure === "missing" ? { path, missing: true } : { path, why: reading.why };
  const text = String(reading.content);
  // Its HCL includes JSON, whatever the name of the file.
  if (!text.trimStart().startsWith("{")) return { path, content: withSettings(text) };
  try {
    const json: unknown = JSON.parse(text);
    return { path, content: isTable(json) ? json : undefined };
  } catch {
    return { path };
  }
}

function withSettings(text: string): TerraformJson | undefined {
  // Its settings are outside of blocks: inside a block, the same code reads them.
  return tablesIn(member(fromHcl(`settings {\n${text}\n}`), "settings"))[0];
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
