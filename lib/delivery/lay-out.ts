import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PROVIDER_SOURCE } from "../provider/names";
import { errorCodeOf } from "../tokens";
import { type Different, differentFile } from "./different-file";
import { readText, refuseLinks, writing } from "./files";
import type { RequiredProvider } from "./lock/command-line-note";
import { LOCK_FILE, updateLockFile } from "./lock/lock-file";
import { PLATFORMS, thisPlatform } from "./platforms";
import { folderFor, type ProviderFiles, readProviderFiles } from "./provider-files";

/** Files of the provider that a synthesis has written, by name: other stacks get links to them. */
export type WrittenFiles = Map<string, string>;

/** By the object that all stacks of a synthesis share. */
const writtenIn = new WeakMap<object, WrittenFiles>();

/**
 * Copies the embedded provider and its lock entry into a stack's folder, where `terraform init`
 * finds it without a registry and without configuration.
 *
 * @param required the providers that the stack's own configuration requires
 * @param synthesis any object that all stacks of a synthesis share
 * @returns whether the lock file has Terraform's form; any other stays as it is
 * @throws ERR_PROVIDER_FILES_MISSING, ERR_WRITE_FAILED
 */
export function deliverProvider(
  stackFolder: string,
  required: readonly RequiredProvider[],
  synthesis: object,
): boolean {
  const provider = readProviderFiles();
  // Before anything is written. Terraform, too, would replace the link.
  refuseLinks(stackFolder, [LOCK_FILE]);
  const written: WrittenFiles = writtenIn.get(synthesis) ?? new Map();
  writtenIn.set(synthesis, written);
  layOutProvider(stackFolder, provider, written);
  const hashes = [provider.unix.h1, provider.windows.h1];
  const own = { source: PROVIDER_SOURCE, version: provider.version, hashes };
  return updateLockFile(stackFolder, own, required);
}

/** Where Terraform searches without configuration, below the folder in which it runs. */
export const PLUGIN_FOLDER = ["terraform.d", "plugins", ...PROVIDER_SOURCE.split("/")];

export function pluginFolder(stackFolder: string): string {
  return join(stackFolder, ...PLUGIN_FOLDER);
}

/** A leftover of an interruption is older; another synthesis may be writing a younger one. */
const LEFTOVER_MS = 3_600_000;

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
      const at = name.startsWith(STAGING) ? lstatSync(path, { throwIfNoEntry: false })?.mtimeMs : 0;
      const isUsed = name === provider.version || at === undefined || Date.now() - at < LEFTOVER_MS;
      // "force": another synthesis may remove it at the same time.
      if (!isUsed) rmSync(path, { recursive: true, force: true });
    }
  });
}

/**
 * Adds the provider to a folder of its versions, unless there is something under this version
 * already.
 *
 * @returns "added" or "there", or the path of a file that differs and stays
 * @throws ERR_WRITE_FAILED
 */
export function addVersion(base: string, provider: ProviderFiles): "added" | "there" | Different {
  const target = join(base, provider.version);
  return writing(target, () => {
    if (exists(target)) return differenceIn(base, provider) ?? "there";
    put(base, target, provider, new Map());
    return "added";
  });
}

/** The first file by which a version's folder differs from the provider's own, byte by byte. */
function differenceIn(base: string, provider: ProviderFiles): Different | undefined {
  const { version } = provider;
  const target = join(base, version);
  if (!hasStamp(target, provider)) return { path: join(target, STAMP) };
  const foreign = readdirSync(target).find((name) => name !== STAMP && !PLATFORMS.includes(name));
  if (foreign !== undefined) return { path: join(target, foreign) };
  for (const platform of PLATFORMS) {
    const path = differentFile(base, [version, platform], folderFor(provider, platform));
    if (path !== undefined) return { path };
  }
  return undefined;
}

/**
 * Next to the platforms, where no hash covers it. It names the hashes of the files, which were
 * complete when it was put there. And if a checkout changed line endings (core.autocrlf), the
 * script would not start, and the files would not match the lock file.
 */
const STAMP = ".gitattributes";

const stampOf = ({ unix, windows }: ProviderFiles) =>
  `# Terraform checks these files byte by byte: ${unix.h1} ${windows.h1}\n* binary\n`;

function hasStamp(target: string, provider: ProviderFiles): boolean {
  const stamp = stampOf(provider);
  return readText(join(target, STAMP), stamp.length) === stamp;
}

/**
 * Whether all files are there, and those of this machine whole, as far as their sizes say: Terraform
 * compares their contents. (A size costs three times as much as a name, in each stack.)
 */
function isComplete(target: string, provider: ProviderFiles): boolean {
  const here = thisPlatform();
  const isThere = (platform: string) =>
    folderFor(provider, platform).files.every(({ name, content }) => {
      const path = `${target}/${platform}/${name}`;
      if (platform !== here) return existsSync(path);
      return lstatSync(path, { throwIfNoEntry: false })?.size === content.length;
    });
  return hasStamp(target, provider) && PLATFORMS.every(isThere);
}

const STAGING = ".staging-";

function put(base: string, target: string, provider: ProviderFiles, written: WrittenFiles): void {
  makeFolders(base);
  const fresh = join(base, `${STAGING}${randomBytes(6).toString("hex")}`);
  const old = `${fresh}-old`;
  // One file under several names saves four fifths of the writing.
  const same = new Map(written);
  try {
    mkdirSync(fresh);
    for (const platform of PLATFORMS) {
      mkdirSync(join(fresh, platform));
      for (const { name, content, mode } of folderFor(provider, platform).files) {
        const path = join(fresh, platform, name);
        if (linked(same.get(name), path)) continue;
        writeFileSync(path, content, { flag: "wx" });
        // The mode of the write is not enough: the umask reduces it, and another user may run
        // Terraform.
        chmodSync(path, mode);
        same.set(name, path);
      }
    }
    writeFileSync(join(fresh, STAMP), stampOf(provider));
    chmodSync(join(fresh, STAMP), 0o644);
    replaceFolder(target, fresh, old, () => isComplete(target, provider));
    for (const [name, path] of same) written.set(name, path.replace(fresh, target));
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Puts a folder in the place of another. If another synthesis does the same at the same time, one
 * of them finds a folder in the place that it has just emptied, or none to move: that one is done
 * if the other's is good, and tries again otherwise.
 */
function replaceFolder(target: string, fresh: string, old: string, isDone: () => boolean): void {
  for (let left = 10; ; left--) {
    try {
      if (exists(target)) renameSync(target, old);
      renameSync(fresh, target);
      return;
    } catch (error) {
      if (isDone()) return;
      if (left === 0) throw error;
      rmSync(old, { recursive: true, force: true });
    }
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

/**
 * Not with `recursive`: if a folder cannot be created although its parent exists (/proc,
 * automounts), Node.js tries forever.
 */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  const above = dirname(folder);
  // There is nothing above a drive or a share, even one that does not exist.
  if (above !== folder) makeFolders(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another synthesis was faster.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
