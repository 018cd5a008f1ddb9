import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PLATFORMS } from "../../../delivery/lay-out";
import { installedPackage } from "../../../delivery/package-root";
import type { Check } from "../check";
import { cross, ok } from "../finding";
import { thisPlatform } from "../platform";
import { runProgram } from "../program";
import { environmentFor } from "../terraform-version";

const LIMIT_MS = 10_000;

/** The Node.js that the provider's launcher finds, which need not be the one that runs this. */
export const checkNode: Check = async ({ env, project, version }) => {
  const platform = thisPlatform();
  if (!PLATFORMS.some((each) => each === platform)) {
    return [
      cross(
        `The provider does not run on ${platform}.`,
        `Run Terraform on one of ${PLATFORMS.join(", ")}; on Windows in WSL.`,
      ),
    ];
  }
  const needed = neededVersion();
  const outcome = await runProgram("node", ["--version"], {
    cwd: project.folder,
    env: environmentFor({ ...env }),
    timeoutMs: LIMIT_MS,
  });
  const install = `Install Node.js ${needed} or newer, so that PATH finds it where Terraform runs.`;
  if (outcome.kind === "missing")
    return [cross('There is no "node" in PATH; the provider is started by it.', install)];
  const [, found] =
    outcome.kind === "ended" ? (/^v(\d+\.\d+\.\d+\S*)\s*$/.exec(outcome.stdout) ?? []) : [];
  if (found === undefined) return [cross('The "node" in PATH does not tell its version.', install)];
  if (isOlder(found, needed)) {
    return [
      cross(`The "node" in PATH is ${found}, and the provider needs ${needed} or newer.`, install),
    ];
  }
  return [
    ok(
      `Node.js ${found} (${needed} or newer is needed), ${platform}, cdktf-iam-tokens ${version}.`,
    ),
  ];
};

function neededVersion(): string {
  const manifest = JSON.parse(
    readFileSync(join(installedPackage().root, "package.json"), "utf8"),
  ) as {
    readonly engines: { readonly node: string };
  };
  return manifest.engines.node.replace(">=", "");
}

function isOlder(found: string, needed: string): boolean {
  const [a, b] = [found, needed].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const different = [0, 1, 2].find((index) => a?.[index] !== b?.[index]);
  return different !== undefined && (a?.[different] ?? 0) < (b?.[different] ?? 0);
}
