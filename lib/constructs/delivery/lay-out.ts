import type { Stats } from "node:fs";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PROVIDER_SOURCE } from "../../provider/schema/names";
import type { ProviderFiles } from "./provider-files";
import { writing } from "./write-failed";

/** Where Terraform may run: the same files serve all, and Terraform looks for its own platform only. */
export const PLATFORMS = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"] as const;

/** Where Terraform looks without any configuration, below the folder in which it runs. */
export function pluginFolder(stackFolder: string): string {
  return join(stackFolder, "terraform.d", "plugins", ...PROVIDER_SOURCE.split("/"));
}

/**
 * Puts the provider beside a stack, for all platforms. When it is there already, nothing is written. Otherwise it is built up
 * in a folder of its own first, so that a full disk or an interruption leaves what was there before. Other versions, and
 * whatever else is in the provider's folder, are removed; not where a link leads out of the stack's folder, for what is there may
 * serve others, or be anything.
 *
 * @throws ERR_WRITE_FAILED
 */
export function layOutProvider(stackFolder: string, provider: ProviderFiles): void {
  const base = pluginFolder(stackFolder);
  const target = join(base, provider.version);
  writing(base, () => {
    if (!isLaidOut(target, provider)) replaceFolder(base, target, provider);
    if (realpathSync(base) !== pluginFolder(realpathSync(stackFolder))) return;
    for (const name of readdirSync(base)) {
      if (name !== provider.version) rmSync(join(base, name), { recursive: true, force: true });
    }
  });
}

function replaceFolder(base: string, target: string, provider: ProviderFiles): void {
  mkdirSync(base, { recursive: true });
  const staging = mkdtempSync(join(base, ".staging-"));
  try {
    const fresh = join(staging, "new");
    build(fresh, provider);
    if (exists(target)) renameSync(target, join(staging, "old"));
    renameSync(fresh, target);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function build(folder: string, provider: ProviderFiles): void {
  const [first, ...others] = PLATFORMS.map((platform) => join(folder, platform));
  for (const platform of PLATFORMS) mkdirSync(join(folder, platform), { recursive: true });
  if (first === undefined) return;
  for (const { name, content, mode } of provider.files) {
    const file = join(first, name);
    writeFileSync(file, content, { flag: "wx" });
    // Not by the mode of writing alone: that is cut by the umask, and another user may run Terraform.
    chmodSync(file, mode);
    for (const other of others) link(file, join(other, name), mode);
  }
}

/** One file under several names saves three quarters of the writing; not every file system has that. */
function link(file: string, name: string, mode: number): void {
  try {
    linkSync(file, name);
  } catch {
    copyFileSync(file, name);
    chmodSync(name, mode);
  }
}

function isLaidOut(target: string, provider: ProviderFiles): boolean {
  const verified = new Map<string, Stats>();
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
          const known = verified.get(name);
          if (known?.ino === stats.ino && known.dev === stats.dev) return true;
          if (!content.equals(readFileSync(file))) return false;
          verified.set(name, stats);
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
