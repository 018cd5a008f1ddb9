import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { pluginFolder } from "../../delivery/lay-out";
import { dirHash } from "../../delivery/provider-files";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { namesIn, readFile } from "./files";
import type { Stack } from "./project";

/** The provider as it lies beside a stack, for this machine. */
interface ProviderPlace {
  readonly version: string;
  readonly folder: string;
}

/**
 * Where Terraform finds the provider beside a stack: the version that is required, or whichever is
 * there; undefined without any.
 */
export function placeBeside({ folder, required }: Stack): ProviderPlace | undefined {
  const base = pluginFolder(folder);
  const versions = namesIn(base).filter((name) => /^\d/.test(name));
  const version = versions.find((each) => each === required) ?? versions.at(-1);
  return version === undefined
    ? undefined
    : { version, folder: join(base, version, thisPlatform()) };
}

/** Whether a filesystem mirror has the provider for this machine, unpacked or as an archive. */
export function isInMirror(mirror: string, version: string): boolean {
  return [join(version, thisPlatform()), archiveOf(version)].some((name) =>
    existsSync(join(mirrored(mirror), name)),
  );
}

/** The same of any version. */
function isInFolder(mirror: string): boolean {
  const [beginning = "", end = ""] = archiveOf("*").split("*");
  return namesIn(mirrored(mirror)).some(
    (name) => isInMirror(mirror, name) || (name.startsWith(beginning) && name.endsWith(end)),
  );
}

/**
 * Whether it is in one of the folders, beside that of the stack, in which Terraform and OpenTofu
 * look where no configuration says otherwise.
 */
export function isWhereLooked(env: Readonly<Record<string, string | undefined>>): boolean {
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
export function isInitialized({ folder }: Stack): boolean {
  return isInFolder(join(folder, ".terraform/providers"));
}

function mirrored(mirror: string): string {
  return join(mirror, ...PROVIDER_SOURCE.split("/"));
}

function archiveOf(version: string): string {
  return `terraform-provider-${PROVIDER_TYPE}_${version}_${thisPlatform()}.zip`;
}

/**
 * What Terraform's lock file has to say of a folder; undefined when there is none, or it cannot be
 * read.
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

/** Whether a file may be run by somebody. */
export function mayRun(path: string): boolean {
  try {
    return (lstatSync(path).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** This machine, as Terraform calls it in the names of folders. */
export function thisPlatform(): string {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  return `${os}_${architectures[process.arch] ?? process.arch}`;
}
