import { statSync } from "node:fs";
import { join } from "node:path";
import { namesIn, readFile } from "./files";
import { fromHcl, isTable, own, type TerraformJson, tablesIn } from "./terraform-json";

/** A file of the configuration of Terraform's or OpenTofu's command line. */
export interface CliConfigurationFile {
  readonly path: string;
  /** Undefined when it cannot be read. */
  readonly content?: TerraformJson | undefined;
  /** A variable names it, and it is not there: Terraform only warns, and does without. */
  readonly missing?: true;
  /** Why it cannot be read at all. */
  readonly why?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The files that Terraform, or OpenTofu, reads here: the one that a variable names, else those of
 * the home folder.
 *
 * @param openTofu it prefers files of its own, and takes Terraform's where it has none
 */
export async function cliConfigurationFiles(
  env: Variables,
  openTofu: boolean,
): Promise<readonly CliConfigurationFile[]> {
  return Promise.all(pathsOf(env, openTofu).map(readConfiguration));
}

function pathsOf(env: Variables, openTofu: boolean): readonly string[] {
  const named = env.TF_CLI_CONFIG_FILE || env.TERRAFORM_CONFIG;
  if (named) return [named];
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
  const folders = [join(home, ".terraform.d"), ...xdg].filter(isFolder).slice(0, 1);
  return [
    ...mains.filter(isThere).slice(0, 1),
    ...folders.flatMap((folder) =>
      namesIn(folder)
        .filter((name) => /\.tfrc(\.json)?$/.test(name))
        .map((name) => join(folder, name)),
    ),
  ];
}

/** A text of the configuration, of the first file that has it. */
export function settingOf(
  files: readonly CliConfigurationFile[],
  name: string,
): string | undefined {
  return files.map(({ content }) => own(content, name)).find((value) => typeof value === "string");
}

/** The provider_installation blocks of a file. */
export function installationsIn({ content }: CliConfigurationFile): readonly TerraformJson[] {
  return tablesIn(own(content, "provider_installation"));
}

async function readConfiguration(path: string): Promise<CliConfigurationFile> {
  const reading = await readFile(path);
  if ("failure" in reading)
    return reading.failure === "missing" ? { path, missing: true } : { path, why: reading.why };
  const text = String(reading.content);
  // Its HCL takes JSON as well, whatever the name of the file.
  if (!text.trimStart().startsWith("{")) return { path, content: withSettings(text) };
  try {
    const json: unknown = JSON.parse(text);
    return { path, content: isTable(json) ? json : undefined };
  } catch {
    return { path };
  }
}

function withSettings(text: string): TerraformJson | undefined {
  // Settings stand outside of blocks there: as those of a block they are read by the same means.
  return tablesIn(own(fromHcl(`settings {\n${text}\n}`), "settings"))[0];
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
