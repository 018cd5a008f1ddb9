import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { PROVIDER_SOURCE } from "../provider/names";
import { errorCodeOf } from "../tokens";
import { PLATFORMS } from "./platforms";
import { folderFor, type ProviderFile, type ProviderFiles } from "./provider-files";
import { writing } from "./write-file";

/** The folder that Terraform searches without configuration, below the folder in which it runs. */
export function pluginFolder(stackFolder: string): string {
  return join(stackFolder, "terraform.d", "plugins", ...PROVIDER_SOURCE.split("/"));
}

/**
 * Files of the provider that were found correct during one synthesis: only the first of many stacks
 * reads or writes them, and the others get links to them. Not kept longer than one synthesis,
 * because the files may change in between.
 */
export class LaidOutFiles {
  private readonly known = new Map<
    string,
    { readonly path: string; readonly dev: number; readonly ino: number }
  >();

  has(name: string, { dev, ino }: Stats): boolean {
    const file = this.known.get(name);
    return file?.ino === ino && file.dev === dev;
  }

  add(name: string, path: string, { dev, ino }: Stats): void {
    this.known.set(name, { path, dev, ino });
  }

  pathOf(name: string): string | undefined {
    return this.known.get(name)?.path;
  }
}

/**
 * Writes the provider next to a stack, for all platforms, unless it is there already. It is first
 * built in a folder of its own: a full disk or an interruption leaves the existing files unchanged.
 * Other versions, and everything else in the provider's folder, are removed, except behind a link
 * that leads out of the stack's folder: those files may serve others.
 *
 * @throws ERR_WRITE_FAILED
 */
export function layOutProvider(
  stackFolder: string,
  provider: ProviderFiles,
  laidOut = new LaidOutFiles(),
): void {
  const base = pluginFolder(stackFolder);
  const target = join(base, provider.version);
  writing(base, () => {
    if (!isLaidOut(target, provider, laidOut)) replaceFolder(base, target, provider, laidOut);
    const others = readdirSync(base).filter((name) => name !== provider.version);
    if (others.length === 0 || realpathSync(base) !== pluginFolder(realpathSync(stackFolder)))
      return;
    for (const name of others) rmSync(join(base, name), { recursive: true, force: true });
  });
}

/**
 * Adds the provider to a folder of its versions, unless there is something under this version
 * already.
 *
 * @returns whether it was added, was already there with the same files, or something else is there,
 * which stays as it is
 * @throws ERR_WRITE_FAILED
 */
export function addVersion(base: string, provider: ProviderFiles): "added" | "there" | "other" {
  const target = join(base, provider.version);
  return writing(target, () => {
    const laidOut = new LaidOutFiles();
    if (isLaidOut(target, provider, laidOut)) return "there";
    if (exists(target)) return "other";
    replaceFolder(base, target, provider, laidOut);
    return "added";
  });
}

function replaceFolder(
  base: string,
  target: string,
  provider: ProviderFiles,
  laidOut: LaidOutFiles,
): void {
  makeFolders(base);
  const fresh = join(base, `.staging-${randomBytes(6).toString("hex")}`);
  const old = `${fresh}-old`;
  try {
    mkdirSync(fresh);
    build(fresh, provider, laidOut);
    if (exists(target)) renameSync(target, old);
    renameSync(fresh, target);
    for (const { folder, name } of filesOf(provider)) {
      // The others are known already, or are links to known files.
      if (laidOut.pathOf(name) !== undefined) continue;
      const file = join(target, folder, name);
      laidOut.add(name, file, lstatSync(file));
    }
  } finally {
    for (const folder of [fresh, old])
      if (exists(folder)) rmSync(folder, { recursive: true, force: true });
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

function build(target: string, provider: ProviderFiles, laidOut: LaidOutFiles): void {
  for (const platform of PLATFORMS) mkdirSync(join(target, platform));
  const first = new Map<string, string>();
  for (const { folder, name, content, mode } of filesOf(provider)) {
    const file = join(target, folder, name);
    const same = first.get(name);
    if (same !== undefined) {
      link(same, file, mode);
      continue;
    }
    first.set(name, file);
    if (linked(laidOut.pathOf(name), file)) continue;
    writeFileSync(file, content, { flag: "wx" });
    // The mode of the write is not enough: the umask reduces it, and another user may run
    // Terraform.
    chmodSync(file, mode);
  }
}

/**
 * Next to the platforms, where no hash covers it: if a checkout changed line endings
 * (core.autocrlf), the script would not start, and the files would not match the lock file.
 */
const GIT_ATTRIBUTES = {
  name: ".gitattributes",
  content: Buffer.from("# Terraform checks these files byte by byte.\n* binary\n"),
  mode: 0o644,
};

/** The contents of a version's folder: its own files, then those of each platform. */
function foldersOf(
  provider: ProviderFiles,
): readonly (readonly [string, readonly ProviderFile[]])[] {
  return [
    [".", [GIT_ATTRIBUTES]],
    ...PLATFORMS.map((platform) => [platform, folderFor(provider, platform).files] as const),
  ];
}

/** The files of all folders, one after the other. */
function filesOf(provider: ProviderFiles) {
  return foldersOf(provider).flatMap(([folder, files]) =>
    files.map((file) => ({ folder, ...file })),
  );
}

/**
 * Links to another stack's file, and never copies it: a copy of a copy is no better than a copy.
 */
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
 * One file under several names saves four fifths of the writing, but not every file system supports
 * it.
 */
function link(file: string, name: string, mode: number): void {
  try {
    linkSync(file, name);
  } catch {
    copyFileSync(file, name);
    chmodSync(name, mode);
  }
}

function isLaidOut(target: string, provider: ProviderFiles, laidOut: LaidOutFiles): boolean {
  try {
    return foldersOf(provider).every(([folder, files]) => {
      const path = join(target, folder);
      const names = files.map(({ name }) => name);
      if (!sameNames(readdirSync(path), folder === "." ? [...names, ...PLATFORMS] : names))
        return false;
      // Not by join(), which takes a third as long as the call of the system.
      return files.every((file) => isThere(`${path}${sep}${file.name}`, file, laidOut));
    });
  } catch {
    return false;
  }
}

function isThere(path: string, { name, content, mode }: ProviderFile, laidOut: LaidOutFiles) {
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.size !== content.length) return false;
  if (process.platform !== "win32" && (stats.mode & 0o777) !== mode) return false;
  if (laidOut.has(name, stats)) return true;
  if (!content.equals(readFileSync(path))) return false;
  laidOut.add(name, path, stats);
  return true;
}

function sameNames(found: readonly string[], expected: readonly string[]): boolean {
  return found.length === expected.length && expected.every((name) => found.includes(name));
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
