import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findProgram } from "../../lib/provider/process/find-program";
import { cacheFolder } from "../support/cache";
import { hasGo } from "../support/go-build";
import { buildOpenTofu } from "../support/open-tofu";
import { downloadProgram } from "./download-program";
import { type Release, releaseFor } from "./open-tofu-release";

/** The first versions with ephemeral resources. */
const OLDEST: Readonly<Record<string, string>> = { Terraform: "1.10.0", OpenTofu: "1.11.0" };

/** How a machine gets its Terraform; a test gives others. */
export interface Ways {
  readonly env: NodeJS.ProcessEnv;
  readonly release: Release | undefined;
  readonly cache: string;
  readonly build: (() => Promise<string>) | undefined;
  readonly say: (line: string) => void;
}

const ways = (): Ways => ({
  env: process.env,
  release: releaseFor(),
  cache: cacheFolder(),
  build: hasGo() ? buildOpenTofu : undefined,
  say: (line) => process.stderr.write(`${line}\n`),
});

/**
 * The Terraform or OpenTofu for tests and demo, as the value for TERRAFORM_BINARY_NAME: what that
 * variable names, else `terraform`, else `tofu` in PATH if it is new enough, else an OpenTofu in
 * the user's cache, which is downloaded or built first. `terraform` if there is none: who needs it
 * says so.
 */
export async function terraformHere(given: Partial<Ways> = {}): Promise<string> {
  const { env, release, cache, build, say } = { ...ways(), ...given };
  if (env.TERRAFORM_BINARY_NAME) return env.TERRAFORM_BINARY_NAME;
  for (const name of ["terraform", "tofu"]) if (versionOf(name, env).isNewEnough) return name;
  const failed: string[] = [];
  const means = [release && (() => downloadProgram(release, cache, say)), build];
  for (const get of means) {
    try {
      if (get !== undefined) return await get();
    } catch (error) {
      failed.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (failed.length > 0) say(`No OpenTofu could be had for this machine: ${failed.join("; ")}`);
  return "terraform";
}

/**
 * The environment of a command that runs Terraform: with what {@link terraformHere} finds, also
 * under the name `terraform`, for programs that know no TERRAFORM_BINARY_NAME (CDKTF's validation
 * of provisioners is one).
 */
export async function environmentWithTerraform(
  given: Partial<Ways> = {},
): Promise<NodeJS.ProcessEnv> {
  const { env, cache } = { ...ways(), ...given };
  const found = await terraformHere(given);
  const result = { ...env, TERRAFORM_BINARY_NAME: found };
  const path = findProgram(found, env.PATH);
  if (found === "terraform" || env.TERRAFORM_BINARY_NAME || path === undefined) return result;
  const folder = join(cache, `terraform-${createHash("sha256").update(path).digest("hex")}`);
  const link = join(folder, "terraform");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(link)) symlinkSync(path, link);
  return { ...result, PATH: [folder, env.PATH].join(delimiter) };
}

/**
 * Which program a name is, such as "Terraform v1.9.8" ("" if there is none), and whether it does.
 */
export function versionOf(name: string, env: NodeJS.ProcessEnv) {
  // In absolute folders of PATH alone: another user may have a program in the current one.
  const program = findProgram(name, env.PATH);
  const own = { PATH: env.PATH, CHECKPOINT_DISABLE: "1" };
  const options = { encoding: "utf8", timeout: 20_000, env: own } as const;
  const stdout = program && spawnSync(program, ["version"], options).stdout;
  const [text = "", is = "", version = ""] =
    /^(Terraform|OpenTofu) v(\S+)/m.exec(stdout ?? "") ?? [];
  const oldest = OLDEST[is];
  const isNewEnough =
    oldest !== undefined && version.localeCompare(oldest, "en", { numeric: true }) >= 0;
  return { text, isNewEnough };
}
