import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pluginFolder } from "../../delivery/lay-out";
import { dirHash } from "../../delivery/provider-files";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { thisPlatform } from "./platform";
import { namesIn, type Stack } from "./project/stack";

/** The provider as it lies beside a stack, for this machine. */
export interface ProviderPlace {
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
  const base = mirrored(mirror);
  return (
    existsSync(join(base, version, thisPlatform())) || existsSync(join(base, archiveOf(version)))
  );
}

/** The same of any version. */
function isInFolder(mirror: string): boolean {
  const [beginning = "", end = ""] = archiveOf("*").split("*");
  return namesIn(mirrored(mirror)).some(
    (name) =>
      existsSync(join(mirrored(mirror), name, thisPlatform())) ||
      (name.startsWith(beginning) && name.endsWith(end)),
  );
}

/**
 * Whether it is in one of the folders, beside that of the stack, in which Terraform and OpenTofu
 * look where no configuration says otherwise.
 */
export function isWhereLooked(env: Readonly<Record<string, string | undefined>>): boolean {
  const { HOME: home } = env;
  const ofUser = home ? [env.XDG_DATA_HOME || join(home, ".local/share")] : [];
  const data = [...ofUser, ...(env.XDG_DATA_DIRS || "/usr/local/share:/usr/share").split(":")];
  const onMac = home
    ? [
        join(home, "Library/Application Support/io.terraform"),
        "/Library/Application Support/io.terraform",
      ]
    : [];
  const folders = [
    ...(home ? [join(home, ".terraform.d")] : []),
    ...(process.platform === "darwin" ? onMac : data.map((folder) => join(folder, "terraform"))),
  ];
  return folders.some((folder) => isInFolder(join(folder, "plugins")));
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
export function hashOf(folder: string): string | undefined {
  const names = namesIn(folder);
  if (names.length === 0) return undefined;
  try {
    return dirHash(names.map((name) => ({ name, content: readFileSync(join(folder, name)) })));
  } catch {
    return undefined;
  }
}

/** Whether a file may be run by somebody. */
export function mayRun(path: string): boolean {
  try {
    return (lstatSync(path).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
