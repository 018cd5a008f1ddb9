import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildProgram, cachedProgram, cacheFolder, type GoProgram } from "./go-build";

/**
 * Other people's linters that check the kits: each contains the schema of its system, and needs no
 * network.
 */
export const KIT_LINTERS = {
  actionlint: {
    module: "github.com/rhysd/actionlint",
    version: "v1.7.12",
    main: "./cmd/actionlint",
    file: "actionlint",
  },
  "kubectl-validate": {
    module: "sigs.k8s.io/kubectl-validate",
    version: "v0.0.4",
    main: ".",
    file: "kubectl-validate",
    ignoreVendor: true,
  },
} as const satisfies Record<string, GoProgram>;

const CHECK_JSONSCHEMA = "0.39.0";

export type KitLinterName = keyof typeof KIT_LINTERS | "check-jsonschema";

/**
 * The path of a linter, or null if it is missing: `prepare.ts kit-linters` builds those that this
 * machine can build.
 */
export function kitLinter(name: KitLinterName): string | null {
  if (name !== "check-jsonschema") return cachedProgram(KIT_LINTERS[name]);
  return existsSync(checkJsonSchema()) ? checkJsonSchema() : null;
}

/** Builds one; those in Go need Go, the one in Python needs Python with venv. */
export async function buildKitLinter(name: KitLinterName): Promise<string> {
  return name === "check-jsonschema" ? installCheckJsonSchema() : buildProgram(KIT_LINTERS[name]);
}

const checkJsonSchema = () =>
  join(cacheFolder(), `check-jsonschema@${CHECK_JSONSCHEMA}`, "bin/check-jsonschema");

/** In its own environment, with the schemas of GitHub's and GitLab's files. */
function installCheckJsonSchema(): string {
  const target = checkJsonSchema();
  if (existsSync(target)) return target;
  const folder = dirname(dirname(target));
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    run("python3", ["-m", "venv", fresh]);
    run(join(fresh, "bin/python"), [
      "-m",
      "pip",
      "install",
      "--quiet",
      `check-jsonschema==${CHECK_JSONSCHEMA}`,
    ]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    // Its script contains the folder of the installation.
    run(join(folder, "bin/python"), [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--force-reinstall",
      "--no-deps",
      `check-jsonschema==${CHECK_JSONSCHEMA}`,
    ]);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return target;
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.slice(-2_000)}`);
}
