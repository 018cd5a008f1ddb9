import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { PROVIDER_SOURCE } from "../provider/names";
import {
  isFileWith,
  makeFolders,
  namesIn,
  persistently,
  refuseLinks,
  statsAt,
  unusedPath,
  writing,
} from "./files";
import type { RequiredProvider } from "./lock/command-line-note";
import { LOCK_FILE, updateLockFile } from "./lock/lock-file";
import { PLATFORMS, thisPlatform } from "./platforms";
import {
  folderFor,
  type ProviderFile,
  type ProviderFiles,
  readProviderFiles,
} from "./provider-files";

/** Files of the provider that a synthesis has written, by name: other stacks get links to them. */
export type WrittenFiles = Map<string, string>;

/**
 * Copies the embedded provider and its lock entry into a stack's folder, where `terraform init`
 * finds it without a registry and without configuration.
 *
 * @param required the providers that the stack's own configuration requires
 * @param written by the same synthesis
 * @returns whether the lock file has Terraform's form; any other stays as it is
 * @throws ERR_PROVIDER_FILES_MISSING, ERR_WRITE_FAILED
 */
export function deliverProvider(
  stackFolder: string,
  required: readonly RequiredProvider[],
  written: WrittenFiles,
): boolean {
  const provider = readProviderFiles();
  // Before anything is written. Terraform, too, would replace the link.
  refuseLinks(stackFolder, [LOCK_FILE]);
  layOutProvider(stackFolder, provider, written);
  const hashes = [provider.unix.h1, provider.windows.h1];
  const own = { source: PROVIDER_SOURCE, version: provider.version, hashes };
  return updateLockFile(stackFolder, own, required);
}

/** Where Terraform searches without configuration, below the folder in which it runs. */
const PLUGIN_FOLDER = ["terraform.d", "plugins", ...PROVIDER_SOURCE.split("/")];

export function pluginFolder(stackFolder: string): string {
  return join(stackFolder, ...PLUGIN_FOLDER);
}

/**
 * Writes the provider next to a stack, for all platforms, unless it is there already. It is first
 * built in a folder of its own: a full disk or an interruption leaves the existing files unchanged.
 * Other versions, and everything else in the provider's folder, are then removed.
 *
 * @throws ERR_WRITE_FAILED, also for a link in the path, before anything is written
 */
export function layOutProvider(
  stackFolder: string,
  provider: ProviderFiles,
  written: WrittenFiles = new Map(),
): void {
  const base = pluginFolder(stackFolder);
  writing(base, () => {
    refuseLinks(stackFolder, [...PLUGIN_FOLDER, provider.version]);
    const target = join(base, provider.version);
    if (isComplete(target, provider)) return;
    put(base, target, provider, written);
    for (const name of readdirSync(base)) {
      const path = join(base, name);
      if (name === provider.version || isBeingWritten(path)) continue;
      // "force": another synthesis may remove it at the same time.
      rmSync(path, { recursive: true, force: true });
    }
  });
}

/**
 * Puts the provider into a folder of its versions, in place of what is there under this version.
 *
 * @throws ERR_WRITE_FAILED
 */
export function putVersion(base: string, provider: ProviderFiles): void {
  const target = join(base, provider.version);
  writing(target, () => put(base, target, provider, new Map()));
}

/**
 * A marker beside the platforms' folders, where no hash covers it: it is written last, with the
 * files' hashes. It also keeps Git from changing line endings (core.autocrlf), with which the
 * script would not start, and no file would match the lock file.
 */
const STAMP = ".gitattributes";

function stampOf({ unix, windows }: ProviderFiles): Buffer {
  const text = `# Terraform checks these files byte by byte: ${unix.h1} ${windows.h1}\n* binary\n`;
  return Buffer.from(text);
}

/** The files of a version's folder. */
function filesOf(provider: ProviderFiles): readonly ProviderFile[] {
  const ofPlatforms = PLATFORMS.flatMap((platform) =>
    folderFor(provider, platform).files.map((file) => ({
      ...file,
      name: `${platform}/${file.name}`,
    })),
  );
  return [...ofPlatforms, { name: STAMP, content: stampOf(provider), mode: 0o644 }];
}

/**
 * Whether the stamp and all files are there, and those of this machine whole, as far as their sizes
 * say: Terraform compares their contents. One stat costs as much as listing a folder: only this
 * platform's sizes are read.
 */
function isComplete(target: string, provider: ProviderFiles): boolean {
  const here = thisPlatform();
  const isThere = (platform: string): boolean => {
    const { files } = folderFor(provider, platform);
    const folder = join(target, platform);
    if (platform === here)
      return files.every(
        ({ name, content }) => statsAt(`${folder}/${name}`)?.size === content.length,
      );
    const names = namesIn(folder);
    return files.every(({ name }) => names.includes(name));
  };
  return isFileWith(join(target, STAMP), stampOf(provider)) && PLATFORMS.every(isThere);
}

const STAGING = ".staging-";

/** Whether it is another synthesis's; a leftover of an interruption is older. */
function isBeingWritten(path: string): boolean {
  if (!basename(path).startsWith(STAGING)) return false;
  return Date.now() - (statsAt(path)?.mtimeMs ?? 0) < LEFTOVER_MS;
}

const LEFTOVER_MS = 3_600_000;

function put(base: string, target: string, provider: ProviderFiles, written: WrittenFiles): void {
  makeFolders(base);
  const fresh = unusedPath(join(base, STAGING));
  const old = `${fresh}-old`;
  // One file under several names saves four fifths of the writing.
  const same = new Map(written);
  try {
    for (const folder of ["", ...PLATFORMS]) mkdirSync(join(fresh, folder));
    for (const { name, content, mode } of filesOf(provider)) {
      const path = join(fresh, name);
      if (linked(same.get(basename(name)), path)) continue;
      writeFileSync(path, content, { flag: "wx" });
      // The mode of the write is not enough: the umask reduces it, and another user may run
      // Terraform.
      chmodSync(path, mode);
      // An editor writes into a file: the one that a user may edit is each stack's own.
      if (name !== STAMP) same.set(basename(name), path);
    }
    // Two syntheses race: after the first rename, the target may be there again, or gone.
    const replace = () => {
      rmSync(old, { recursive: true, force: true });
      if (statsAt(target) !== undefined) renameSync(target, old);
      renameSync(fresh, target);
    };
    persistently(replace, () => true);
    for (const [name, path] of same) written.set(name, path.replace(fresh, target));
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Not every file system supports links. */
function linked(from: string | undefined, to: string): boolean {
  if (from === undefined) return false;
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}
