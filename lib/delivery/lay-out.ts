import { randomBytes } from "node:crypto";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PROVIDER_SOURCE } from "../provider/names";
import { errorCodeOf } from "../tokens";
import { readText, writing } from "./files";
import type { RequiredProvider } from "./lock/command-line-note";
import { updateLockFile } from "./lock/lock-file";
import { PLATFORMS } from "./platforms";
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
  const written: WrittenFiles = writtenIn.get(synthesis) ?? new Map();
  writtenIn.set(synthesis, written);
  layOutProvider(stackFolder, provider, written);
  const hashes = [provider.unix.h1, provider.windows.h1];
  const own = { source: PROVIDER_SOURCE, version: provider.version, hashes };
  return updateLockFile(stackFolder, own, required);
}

/** The folder that Terraform searches without configuration, below the folder in which it runs. */
export function pluginFolder(stackFolder: string): string {
  return join(stackFolder, "terraform.d", "plugins", ...PROVIDER_SOURCE.split("/"));
}

/**
 * Writes the provider next to a stack, for all platforms, unless its stamp is there already. It is
 * first built in a folder of its own: a full disk or an interruption leaves the existing files
 * unchanged. Other versions, and everything else in the provider's folder, are then removed, except
 * behind a link that leads out of the stack's folder: those files may serve others.
 *
 * @throws ERR_WRITE_FAILED
 */
export function layOutProvider(
  stackFolder: string,
  provider: ProviderFiles,
  written: WrittenFiles = new Map(),
): void {
  const base = pluginFolder(stackFolder);
  writing(base, () => {
    const target = join(base, provider.version);
    if (hasStamp(target, provider)) return;
    put(base, target, provider, written);
    if (realpathSync(base) !== pluginFolder(realpathSync(stackFolder))) return;
    // "force": another synthesis may remove it at the same time.
    for (const name of readdirSync(base))
      if (name !== provider.version) rmSync(join(base, name), { recursive: true, force: true });
  });
}

/**
 * Adds the provider to a folder of its versions, unless there is something under this version
 * already.
 *
 * @returns whether it was added, was already there, or something else is there, which stays
 * @throws ERR_WRITE_FAILED
 */
export function addVersion(base: string, provider: ProviderFiles): "added" | "there" | "other" {
  const target = join(base, provider.version);
  return writing(target, () => {
    if (exists(target)) return hasStamp(target, provider) ? "there" : "other";
    put(base, target, provider, new Map());
    return "added";
  });
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

function put(base: string, target: string, provider: ProviderFiles, written: WrittenFiles): void {
  makeFolders(base);
  const fresh = join(base, `.staging-${randomBytes(6).toString("hex")}`);
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
    if (exists(target)) renameSync(target, old);
    renameSync(fresh, target);
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
