import { existsSync, lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { pluginFolder } from "../../delivery/lay-out";
import { thisPlatform } from "../../delivery/platforms";
import { dirHash } from "../../delivery/provider-files";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { namesIn, readFile } from "./files";
import type { Stack } from "./project";

type Variables = Readonly<Record<string, string | undefined>>;

/** The provider in a stack's folder, for this machine. */
interface ProviderPlace {
  readonly version: string;
  readonly folder: string;
}

/**
 * The place in a stack's folder where Terraform finds the provider: of the required version, or of
 * any; undefined without one.
 */
export function providerPlaceOf({ folder, required }: Stack): ProviderPlace | undefined {
  const base = pluginFolder(folder);
  const versions = namesIn(base).filter((name) => /^\d/.test(name));
  const version = versions.find((each) => each === required) ?? versions.at(-1);
  return version === undefined
    ? undefined
    : { version, folder: join(base, version, thisPlatform()) };
}

/**
 * Whether a filesystem mirror contains the provider for this machine, unpacked or as an archive.
 */
export function isInMirror(mirror: string, version: string): boolean {
  return [join(version, thisPlatform()), archiveOf(version)].some((name) =>
    existsSync(join(mirrored(mirror), name)),
  );
}

/** The same for any version. */
function isInFolder(mirror: string): boolean {
  const [beginning = "", end = ""] = archiveOf("*").split("*");
  return namesIn(mirrored(mirror)).some(
    (name) => isInMirror(mirror, name) || (name.startsWith(beginning) && name.endsWith(end)),
  );
}

/**
 * Whether it is in one of the other folders, apart from the stack's, that Terraform and OpenTofu
 * search without any configuration.
 */
export function isInDefaultMirror(env: Variables): boolean {
  if (process.platform === "win32") {
    const { APPDATA: data } = env;
    return ["terraform.d", "HashiCorp/Terraform"].some(
      (folder) => data && isInFolder(join(data, folder, "plugins")),
    );
  }
  const { HOME: home = "", XDG_DATA_HOME, XDG_DATA_DIRS } = env;
  const ofUser = home && join(home, ".terraform.d");
  const onMac = home && join(home, "Library/Application Support/io.terraform");
  const data = [
    home && (XDG_DATA_HOME || join(home, ".local/share")),
    ...(XDG_DATA_DIRS || "/usr/local/share:/usr/share").split(":"),
  ];
  const others =
    process.platform === "darwin"
      ? [onMac, onMac && "/Library/Application Support/io.terraform"]
      : data.map((folder) => folder && join(folder, "terraform"));
  return [ofUser, ...others].some((folder) => folder && isInFolder(join(folder, "plugins")));
}

/** Whether a folder was initialized with the provider. */
export function isInitialized(stack: Stack, env: Variables): boolean {
  return isInFolder(installedProviders(stack, env));
}

/** The folder into which init puts the providers. */
export function installedProviders({ folder }: Stack, { TF_DATA_DIR }: Variables): string {
  return resolve(folder, TF_DATA_DIR || ".terraform", "providers");
}

function mirrored(mirror: string): string {
  return join(mirror, ...PROVIDER_SOURCE.split("/"));
}

function archiveOf(version: string): string {
  return `terraform-provider-${PROVIDER_TYPE}_${version}_${thisPlatform()}.zip`;
}

/**
 * The hash of a folder that Terraform's lock file must contain; undefined if the folder does not
 * exist or cannot be read.
 */
export async function hashOf(folder: string): Promise<string | undefined> {
  const files = [];
  for (const name of namesIn(folder)) {
    const reading = await readFile(join(folder, name));
    if ("failure" in reading) return undefined;
    files.push({ name, content: reading.content });
  }
  return files.length === 0 ? undefined : dirHash(files);
}

/** Whether anybody may execute a file; Windows has no such bit. */
export function isExecutable(path: string): boolean {
  if (process.platform === "win32") return true;
  try {
    return (lstatSync(path).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
