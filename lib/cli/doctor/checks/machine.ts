import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installedPackage } from "../../../delivery/package-root";
import { hasOwnFolder, PLATFORMS, thisPlatform } from "../../../delivery/platforms";
import { FRAMEWORK, OWN_PACKAGE } from "../../../framework";
import { IamTokensError, quote } from "../../../tokens";
import { attachedSocket, parseReattached, REATTACH } from "../../run/reattach";
import type { Check, DoctorContext } from "../doctor-context";
import { REPLACE_WITH_FILE } from "../files";
import { type Finding, failure, failureOf, findingsOr, ok, warning } from "../finding";
import { runProgram } from "../program";
import { environmentFor, oldestWithEphemerals, type Terraform } from "../terraform-version";
import { terraformWords } from "../terraform-words";

const LIMIT_MS = 10_000;

/** The Node.js that the provider's launcher finds, which may differ from the one that runs this. */
export const checkNode: Check = async ({ env, project, version, isAttached }) => {
  const platform = thisPlatform();
  if (!hasOwnFolder() && !isAttached) {
    return failure(
      `The provider does not support ${platform}. It supports ${PLATFORMS.join(", ")}.`,
      process.platform === "win32"
        ? "Run the Terraform of windows_amd64, or Terraform in WSL."
        : "Run Terraform with iam-tokens run --, which needs no files for the platform.",
    );
  }
  const needed = neededVersion();
  const outcome = await runProgram("node", ["--version"], {
    cwd: project.folder,
    env: environmentFor({ ...env }),
    timeoutMs: LIMIT_MS,
  });
  const install = `Install Node.js ${needed} or newer, in PATH of the machine that runs Terraform.`;
  if (outcome.kind === "missing")
    return failure('"node" is not in PATH; the provider needs it.', install);
  const printed = outcome.kind === "ended" ? outcome.stdout : "";
  const [, found] = /^v(\d+\.\d+\.\d+(?:[^\s\d]\S*)?)$/.exec(printed.trim()) ?? [];
  if (found === undefined)
    return failure('The "node" in PATH does not print its version.', install);
  if (isOlder(found, needed))
    return failure(
      `The "node" in PATH is ${found}, but the provider needs ${needed} or newer.`,
      install,
    );
  return ok(
    `Node.js ${found} (${needed} or newer is needed), ${platform}, ${OWN_PACKAGE} ${version}.`,
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
export const checkTerraform: Check = async (context) => {
  const { binary, version, outcome } = await context.terraform();
  const program = quote(binary);
  const choose = "Install Terraform or OpenTofu, or name the program: TERRAFORM_BINARY_NAME=tofu.";
  const byHand = `Run it by hand in the project's folder. ${choose}`;
  if (outcome.kind === "missing") return failure(`${program} is not in PATH.`, choose);
  if (outcome.kind === "not tried") {
    const unread = `${quote(outcome.file)}, which it reads, is not a regular file of a usual size`;
    return failure(`${program} was not run: ${unread}.`, REPLACE_WITH_FILE);
  }
  if (outcome.kind === "too late") return failure(`${program} version timed out.`, byHand);
  if (version === undefined) {
    const code = outcome.kind === "not started" ? outcome.code : `exit code ${outcome.exitCode}`;
    const how = outcome.kind === "ended" && outcome.exitCode === 0 ? "" : ` (${code})`;
    return failure(`${program} version does not print a version${how}.`, byHand);
  }
  const { product, hasEphemerals, hasWriteOnly } = version;
  const what = `${product} ${version.version}`;
  const faults = complaintsOf(what, outcome, context.env);
  const wants = (need: "ephemerals" | "writeOnly") =>
    context.project.stacks.filter(({ needs }) => needs[need]).map(({ name }) => name);
  const [ephemeral, writeOnly] = [wants("ephemerals"), wants("writeOnly")];
  if (!hasEphemerals && ephemeral.length > 0) {
    const problem = `${what} does not support ephemeral resources, but ${usedBy(ephemeral)}.`;
    const remedy = `Use ${oldestWithEphemerals()}, or store the tokens in the state: resolution: TokenResolution.DATA or ROTATING, or allowInState: true with SYNTH.`;
    faults.push(failureOf(new IamTokensError("ERR_TERRAFORM_TOO_OLD", problem, { remedy })));
  }
  if (!hasWriteOnly && writeOnly.length > 0) {
    faults.push(
      failure(
        `${what} does not support write-only arguments, but ${usedBy(writeOnly)}.`,
        "Use Terraform 1.11 or newer, OpenTofu 1.11 or newer.",
      ),
    );
  }
  // tofu is only checked in the place of a missing terraform (readTerraformVersion).
  if (context.project.cdktf && binary === "tofu" && !context.env.TERRAFORM_BINARY_NAME) {
    const problem = `${FRAMEWORK.name} runs "terraform", which is not in PATH; ${what} is.`;
    faults.push(warning(problem, "Set TERRAFORM_BINARY_NAME=tofu in the environment."));
  }
  return findingsOr(faults, () =>
    hasEphemerals
      ? ok(
          `${what}, with ephemeral resources${hasWriteOnly ? " and write-only arguments" : ", without write-only arguments"}.`,
        )
      : warning(
          `${what} does not support ephemeral resources. Only tokens that are stored in the state work: DATA, ROTATING, and SYNTH with allowInState.`,
          `Use ${oldestWithEphemerals()}.`,
        ),
  );
};

/** Terraform says so at the beginning of each command, and goes on without what it cannot read. */
function complaintsOf(what: string, outcome: Terraform["outcome"], env: DoctorContext["env"]) {
  if (outcome.kind !== "ended" || !outcome.stderr.includes("CLI configuration")) return [];
  const words = terraformWords(outcome.stderr);
  if (words === undefined) return [];
  const named = ["TF_CLI_CONFIG_FILE", "TF_PLUGIN_CACHE_DIR"].filter((name) => env[name]);
  const unset = named.length === 0 ? "" : `, or unset ${named.join(" and ")}`;
  const finding = words.includes("Error: ") ? failure : warning;
  return [
    finding(
      `${what} cannot use its CLI configuration. ${words}`,
      `Correct the file or the folder that it names, create it if it is missing${unset}.`,
    ),
  ];
}

function usedBy(stacks: readonly string[]): string {
  const several = stacks.length > 1;
  return `the ${several ? "stacks" : "stack"} ${stacks.map(quote).join(", ")} use${several ? "" : "s"} them`;
}

/** Variables that break the provider, or log secrets. */
export const checkEnvironment: Check = ({ env }) => {
  const found: Finding[] = [];
  // Throws what the command `run` would say.
  const socket = attachedSocket(parseReattached(env[REATTACH]));
  if (socket !== undefined && !existsSync(socket)) {
    found.push(
      failure(
        `${REATTACH} names a provider that is not running.`,
        `Unset it: ${process.platform === "win32" ? `Remove-Item Env:${REATTACH}` : `unset ${REATTACH}`}.`,
      ),
    );
  }
  if (/^(TRACE|DEBUG|JSON)$/i.test(env.TF_LOG ?? "")) {
    found.push(
      warning(
        "TF_LOG makes Terraform log its messages to and from providers, and other providers may log their arguments, tokens included.",
        "Unset it where logs are stored, or log one part only: TF_LOG_PROVIDER, TF_LOG_CORE.",
      ),
    );
  }
  return findingsOr(found, () => ok("No variable breaks the provider or logs secrets."));
};
