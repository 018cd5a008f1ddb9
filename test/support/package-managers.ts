import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, installedOnce } from "./cache";

// Package managers other than npm, and programs that run TypeScript, from npm.

/** Each with the tests' version, and its program. */
const MANAGERS = {
  bun: { package: "@oven/bun-linux-x64", version: "1.4.5", program: "bin/bun" },
  vitest: { package: "vitest", version: "5.1.1", program: "vitest.mjs" },
  pnpm: { package: "pnpm", version: "10.34.9", program: "bin/pnpm.cjs" },
  yarn: { package: "@yarnpkg/cli-dist", version: "4.18.1", program: "bin/yarn.js" },
} as const;

type PackageManager = keyof typeof MANAGERS;

const folderOf = (name: PackageManager) => join(cacheFolder(), `${name}@${MANAGERS[name].version}`);

/** Its program, of all but bun for Node.js; null if it is not installed yet. */
export function packageManager(name: PackageManager): string | null {
  const manager = MANAGERS[name];
  const path = join(folderOf(name), "node_modules", manager.package, manager.program);
  return existsSync(path) ? path : null;
}

/** Installs it in the folder of built programs. */
export function installPackageManager(name: PackageManager): Promise<string> {
  return installedOnce(folderOf(name), { [MANAGERS[name].package]: MANAGERS[name].version });
}
