import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The folder of built programs, kept between runs: outside of the repository, for all clones. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.IAM_TOKENS_TEST_CACHE || join(base, "cdktf-iam-tokens-tests");
}

/** Fills a folder of the cache under another name first: no reader ever finds half of one. */
export async function madeOnce(
  folder: string,
  fill: (fresh: string) => void | Promise<void>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    await fill(fresh);
    // Another process may have been faster.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Installs packages of npm into a folder of the cache, without their scripts. */
export function installedOnce(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<string> {
  return madeOnce(folder, (fresh) => {
    writeFileSync(join(fresh, "package.json"), JSON.stringify({ private: true, dependencies }));
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    runTool("npm", ["install", ...options], fresh);
  });
}

/** Runs a program that gets or makes something for the cache; a failure is an error. */
export function runTool(
  program: string,
  args: readonly string[],
  cwd = process.cwd(),
  env = process.env,
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.slice(-2_000)}`);
  return stdout;
}
