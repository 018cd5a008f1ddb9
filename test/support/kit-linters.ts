import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder, madeOnce, runTool } from "./cache";
import { buildProgram, cachedProgram, type GoProgram } from "./go-build";

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
async function installCheckJsonSchema(): Promise<string> {
  const target = checkJsonSchema();
  if (existsSync(target)) return target;
  const pip = (folder: string, ...options: readonly string[]) => {
    const args = ["-m", "pip", "install", "--quiet", ...options];
    runTool(join(folder, "bin/python"), [...args, `check-jsonschema==${CHECK_JSONSCHEMA}`]);
  };
  const folder = dirname(dirname(target));
  await madeOnce(folder, (fresh) => {
    runTool("python3", ["-m", "venv", fresh]);
    pip(fresh);
  });
  // Its script contains the folder of the installation.
  pip(folder, "--force-reinstall", "--no-deps");
  return target;
}
