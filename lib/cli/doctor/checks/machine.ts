import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PLATFORMS } from "../../../delivery/lay-out";
import { installedPackage } from "../../../delivery/package-root";
import { IamTokensError, quote } from "../../../tokens";
import { attachedSocket, parseReattached, REATTACH } from "../../run/reattach";
import { type Check, cross, crossOf, type Finding, ok, unless, warning } from "../finding";
import { runProgram } from "../program";
import { thisPlatform } from "../provider-place";
import { environmentFor, oldestWithEphemerals } from "../terraform-version";

const LIMIT_MS = 10_000;

/** The Node.js that the provider's launcher finds, which need not be the one that runs this. */
export const checkNode: Check = async ({ env, project, version }) => {
  const platform = thisPlatform();
  if (!PLATFORMS.some((each) => each === platform)) {
    return cross(
      `The provider does not run on ${platform}.`,
      `Run Terraform on one of ${PLATFORMS.join(", ")}; on Windows in WSL.`,
    );
  }
  const needed = neededVersion();
  const outcome = await runProgram("node", ["--version"], {
    cwd: project.folder,
    env: environmentFor({ ...env }),
    timeoutMs: LIMIT_MS,
  });
  const install = `Install Node.js ${needed} or newer, so that PATH finds it where Terraform runs.`;
  if (outcome.kind === "missing")
    return cross('There is no "node" in PATH; the provider is started by it.', install);
  const printed = outcome.kind === "ended" ? outcome.stdout : "";
  const [, found] = /^v(\d+\.\d+\.\d+\S*)\s*$/.exec(printed) ?? [];
  if (found === undefined) return cross('The "node" in PATH does not tell its version.', install);
  if (isOlder(found, needed))
    return cross(
      `The "node" in PATH is ${found}, and the provider needs ${needed} or newer.`,
      install,
    );
  return ok(
    `Node.js ${found} (${needed} or newer is needed), ${platform}, cdktf-iam-tokens ${version}.`,
  );
};

function neededVersion(): string {
  const text = readFileSync(join(installedPackage().root, "package.json"), "utf8");
  const { engines } = JSON.parse(text) as { readonly engines: { readonly node: string } };
  return engines.node.replace(">=", "");
}

function isOlder(found: string, needed: string): boolean {
  const [a, b] = [found, needed].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  const different = [0, 1, 2].find((index) => a?.[index] !== b?.[index]);
  return different !== undefined && (a?.[different] ?? 0) < (b?.[different] ?? 0);
}

/** Which Terraform or OpenTofu is run here, and whether it can do what the stacks need. */
export const checkTerraform: Check = async (scene) => {
  const { binary, version, outcome } = await scene.terraform();
  const shown = quote(binary);
  const choose = "Install Terraform or OpenTofu, or name it: TERRAFORM_BINARY_NAME=tofu.";
  const byHand = `Run it by hand in the project's folder. ${choose}`;
  if (outcome.kind === "missing") return cross(`There is no ${shown} here.`, choose);
  if (outcome.kind === "too late") return cross(`${shown} version does not end.`, byHand);
  if (version === undefined) {
    const code = outcome.kind === "not started" ? outcome.code : `exit code ${outcome.exitCode}`;
    const how = outcome.kind === "ended" && outcome.exitCode === 0 ? "" : ` (${code})`;
    return cross(`${shown} version does not tell a version${how}.`, byHand);
  }
  const { product, hasEphemerals, hasWriteOnly } = version;
  const what = `${product} ${version.version}`;
  const faults: Finding[] = [];
  const wants = (need: "ephemerals" | "writeOnly") =>
    scene.project.stacks.filter(({ needs }) => needs[need]).map(({ name }) => name);
  const [ephemeral, writeOnly] = [wants("ephemerals"), wants("writeOnly")];
  if (!hasEphemerals && ephemeral.length > 0) {
    const problem = `${what} has no ephemeral resources, and ${usedBy(ephemeral)}.`;
    const remedy = `Use ${oldestWithEphemerals()}, or declare the tokens with resolution: TokenResolution.DATA.`;
    faults.push(crossOf(new IamTokensError("ERR_TERRAFORM_TOO_OLD", problem, { remedy })));
  }
  if (!hasWriteOnly && writeOnly.length > 0) {
    faults.push(
      cross(
        `${what} has no write-only arguments, and ${usedBy(writeOnly)}.`,
        "Use Terraform 1.11 or newer, OpenTofu 1.11 or newer.",
      ),
    );
  }
  return unless(faults, () =>
    hasEphemerals
      ? ok(
          `${what}, with ephemeral resources${hasWriteOnly ? " and write-only arguments" : ", without write-only arguments"}.`,
        )
      : warning(
          `${what} has no ephemeral resources: tokens can only be of data sources or rotating, and land in plan and state.`,
          `Use ${oldestWithEphemerals()}.`,
        ),
  );
};

function usedBy(stacks: readonly string[]): string {
  const several = stacks.length > 1;
  return `the ${several ? "stacks" : "stack"} ${stacks.map(quote).join(", ")} use${several ? "" : "s"} them`;
}

/** Variables that break or slow what runs here. */
export const checkEnvironment: Check = ({ env }) => {
  const found: Finding[] = [];
  // Throws what the command `run` would say.
  const socket = attachedSocket(parseReattached(env[REATTACH]));
  if (socket !== undefined && !existsSync(socket)) {
    found.push(
      cross(`${REATTACH} names a provider that is not running.`, `Unset it: unset ${REATTACH}.`),
    );
  }
  if (env.NODE_EXTRA_CA_CERTS && Number(process.versions.node.split(".")[0]) < 22) {
    found.push(
      warning(
        "NODE_EXTRA_CA_CERTS makes each start of Node.js 20 about 0.1 s slower; the provider is spared, the CDKTF command line and your program are not.",
        "Use Node.js 22 or newer, or give the file as ca_file or OS_CACERT instead.",
      ),
    );
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    found.push(
      warning(
        "NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect on the provider, and makes all else that Node.js runs here trust anybody.",
        "Unset it; name the certificate authority by ca_file or OS_CACERT.",
      ),
    );
  }
  if (/^(TRACE|DEBUG|JSON)$/i.test(env.TF_LOG ?? "")) {
    found.push(
      warning(
        "TF_LOG has Terraform log what providers say to each other; other providers may print what they are given, tokens included.",
        "Unset it where logs are kept, or log one part only: TF_LOG_PROVIDER, TF_LOG_CORE.",
      ),
    );
  }
  return unless(found, () => ok("Nothing in it that breaks or slows the provider."));
};
