import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The folder of built programs, kept between runs: outside of the repository, for all clones. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return process.env.IAM_TOKENS_TEST_CACHE || join(base, "cdktf-iam-tokens-tests");
}

/**
 * Makes a folder or a file of the cache under another name first: no reader ever finds half of one.
 *
 * @param fill fills a fresh folder; returns what of it is kept, by default the folder itself
 */
export async function madeOnce(
  path: string,
  fill: (fresh: string) => string | void | Promise<void>,
): Promise<string> {
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = mkdtempSync(`${path}-`);
  try {
    const made = (await fill(fresh)) ?? fresh;
    // Another process may have been faster.
    if (!existsSync(path)) renameSync(made, path);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return path;
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
