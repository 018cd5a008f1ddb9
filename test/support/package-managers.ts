import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, installedOnce } from "./cache";

// Package managers other than npm, from npm.

/** Each with the tests' version, and its program. */
const MANAGERS = {
  pnpm: { package: "pnpm", version: "10.34.9", program: "bin/pnpm.cjs" },
  yarn: { package: "@yarnpkg/cli-dist", version: "4.18.1", program: "bin/yarn.js" },
} as const;

type PackageManager = keyof typeof MANAGERS;

const folderOf = (name: PackageManager) => join(cacheFolder(), `${name}@${MANAGERS[name].version}`);

/** Its program, for Node.js; null if it is not installed yet. */
export function packageManager(name: PackageManager): string | null {
  const manager = MANAGERS[name];
  const path = join(folderOf(name), "node_modules", manager.package, manager.program);
  return existsSync(path) ? path : null;
}

/** Installs it in the folder of built programs. */
export function installPackageManager(name: PackageManager): Promise<string> {
  return installedOnce(folderOf(name), { [MANAGERS[name].package]: MANAGERS[name].version });
}
