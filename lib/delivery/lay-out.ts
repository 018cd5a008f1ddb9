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
import { dirname, join } from "node:path";
import { PROVIDER_SOURCE } from "../provider/names";
import { errorCodeOf } from "../tokens";
import type { ProviderFiles } from "./provider-files";
import { writing } from "./write-file";

/**
 * Where Terraform may run: the same files serve all, and Terraform looks for its own platform only.
 */
export const PLATFORMS = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] as const;

/** Where Terraform looks without any configuration, below the folder in which it runs. */
export function pluginFolder(stackFolder: string): string {
  return join(stackFolder, "terraform.d", "plugins", ...PROVIDER_SOURCE.split("/"));
}

/**
 * Files of the provider that were seen to be right, during one synthesis: of many stacks only the
 * first is read or written, and the others have the same files under further names. Not longer than
 * one synthesis, for nothing says what happens in between.
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
 * Puts the provider beside a stack, for all platforms. When it is there already, nothing is
 * written. Otherwise it is built up in a folder of its own first, so that a full disk or an
 * interruption leaves what was there before. Other versions, and whatever else is in the provider's
 * folder, are removed; not where a link leads out of the stack's folder, for what is there may
 * serve others, or be anything.
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
 * Puts the provider into a folder of its versions, beside others, unless something is there under
 * this version already.
 *
 * @returns whether it was put there, was there already just so, or something else is there, which
 * is left as it is
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
    const [platform] = PLATFORMS;
    // Of the others it is known already, or they are links to them.
    for (const { name } of provider.files.filter(
      (file) => laidOut.pathOf(file.name) === undefined,
    )) {
      const file = join(target, platform, name);
      laidOut.add(name, file, lstatSync(file));
    }
  } finally {
    for (const folder of [fresh, old])
      if (exists(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Not by `recursive`: where a folder cannot be made although its parent is there (/proc,
 * automounts), Node.js tries for ever.
 */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another synthesis was quicker.
    if (errorCodeOf(error) !== "EEXIST") throw error;
  }
}

function build(folder: string, provider: ProviderFiles, laidOut: LaidOutFiles): void {
  const [first, ...others] = PLATFORMS.map((platform) => join(folder, platform));
  for (const platform of PLATFORMS) mkdirSync(join(folder, platform));
  if (first === undefined) return;
  for (const { name, content, mode } of provider.files) {
    const file = join(first, name);
    if (!linked(laidOut.pathOf(name), file)) {
      writeFileSync(file, content, { flag: "wx" });
      // Not by the mode of writing alone: that is cut by the umask, and another user may run
      // Terraform.
      chmodSync(file, mode);
    }
    for (const other of others) link(file, join(other, name), mode);
  }
}

/** Of another stack: a link or nothing, for a copy of a copy would be no better than a copy. */
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
 * One file under several names saves three quarters of the writing; not every file system has that.
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
    return (
      sameNames(readdirSync(target), PLATFORMS) &&
      PLATFORMS.every((platform) => {
        const folder = join(target, platform);
        if (
          !sameNames(
            readdirSync(folder),
            provider.files.map(({ name }) => name),
          )
        ) {
          return false;
        }
        return provider.files.every(({ name, content, mode }) => {
          const file = join(folder, name);
          const stats = lstatSync(file);
          if (!stats.isFile() || stats.size !== content.length) return false;
          if (process.platform !== "win32" && (stats.mode & 0o777) !== mode) return false;
          if (laidOut.has(name, stats)) return true;
          if (!content.equals(readFileSync(file))) return false;
          laidOut.add(name, file, stats);
          return true;
        });
      })
    );
  } catch {
    return false;
  }
}

function sameNames(found: readonly string[], expected: readonly string[]): boolean {
  return found.length === expected.length && expected.every((name) => found.includes(name));
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
