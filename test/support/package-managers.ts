import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "./go-build";

// Package managers other than npm, from npm.

/** Each with the tests' version, and its program. */
const MANAGERS = {
  pnpm: { package: "pnpm", version: "10.34.9", program: "bin/pnpm.cjs" },
  yarn: { package: "@yarnpkg/cli-dist", version: "4.18.1", program: "bin/yarn.js" },
} as const;

export type PackageManager = keyof typeof MANAGERS;

const folderOf = (name: PackageManager) => join(cacheFolder(), `${name}@${MANAGERS[name].version}`);

/** Its program, for Node.js; null if it is not installed yet. */
export function packageManager(name: PackageManager): string | null {
  const manager = MANAGERS[name];
  const path = join(folderOf(name), "node_modules", manager.package, manager.program);
  return existsSync(path) ? path : null;
}

/** Installs it in the folder of built programs. */
export async function installPackageManager(name: PackageManager): Promise<string> {
  const folder = folderOf(name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const dependencies = { [MANAGERS[name].package]: MANAGERS[name].version };
    writeFileSync(join(fresh, "package.json"), JSON.stringify({ private: true, dependencies }));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const npm = ["install", ...options];
    const { status, stderr } = spawnSync("npm", npm, { cwd: fresh, encoding: "utf8" });
    if (status !== 0) throw new Error(`npm install ${name}: ${stderr.slice(-2_000)}`);
    // Another process may have been faster.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
