import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { linkOn } from "../../delivery/files";
import { installedPackage } from "../../delivery/package-root";
import { hasOwnFolder, PLATFORMS, thisPlatform } from "../../delivery/platforms";
import { FRAMEWORK, OWN_PACKAGE } from "../../framework";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import { PROVIDER_SOURCE } from "../../provider/names";
import { quote, shortened } from "../../tokens";
import { pathInShell } from "../shell-quoted";
import { type DoctorContext, type Finding, failure, ok, skipped, warning } from "./finding";
import { run } from "./run";
import { terraformWords } from "./terraform-words";

const LIMIT_MS = 10_000;

/**
 * The Node.js that the provider's launcher finds: in a stack's folder, by which version managers
 * choose, and without the variables that the launcher removes.
 */
export async function checkNode(context: DoctorContext): Promise<Finding> {
  const { env, folder, stacks, version, program } = context;
  // Terraform does not look for one that runs already.
  const isRunning = env.TF_REATTACH_PROVIDERS?.includes(PROVIDER_SOURCE) === true;
  if (!hasOwnFolder() && !isRunning)
    return failure(
      `The provider is not for ${thisPlatform()}, but for ${PLATFORMS.join(", ")}.`,
      process.platform === "win32"
        ? "Run the Terraform of windows_amd64."
        : `Run Terraform with ${program} run --, which needs no installed provider, or on one of those platforms.`,
    );
  const manifest = readFileSync(join(installedPackage().root, "package.json"), "utf8");
  const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
  const needed = engines.node.replace(">=", "");
  const cleaned = cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS");
  // Not --version: where Bun takes its place, that is Bun's.
  const outcome = await run(
    ["node", "-p", "process.version"],
    stacks[0] ?? folder,
    cleaned,
    LIMIT_MS,
  );
  const [, before = "", found] = /^(.*\n)?v(\d\S*)\r?\n/s.exec(outcome?.stdout ?? "") ?? [];
  if (before !== "")
    return failure(
      `The "node" in PATH prints ${quote(before.trim())} before it starts: Terraform takes that for the provider's first line.`,
      "Let its shim print to standard error, or put the program itself first in PATH.",
    );
  if (found !== undefined && found.localeCompare(needed, "en", { numeric: true }) !== -1)
    return ok(`Node.js ${found}, ${thisPlatform()}, ${OWN_PACKAGE} ${version}.`);
  const why =
    outcome && `does not start (${outcome.how}; ${shortened(outcome.stderr.trim(), 200)})`;
  return failure(
    `The "node" in PATH ${found === undefined ? (why ?? "is missing") : `is ${found}`}; the provider needs ${needed} or newer.`,
    `Install Node.js ${needed} or newer, in PATH of the machine that runs Terraform.`,
  );
}

/** Which Terraform or OpenTofu is run here, and what it says about its CLI configuration. */
export async function checkTerraform(context: DoctorContext): Promise<Finding> {
  const { binary, env, folder, stacks } = context;
  const another = "another program: TERRAFORM_BINARY_NAME=tofu.";
  const outcome = await run([binary, "version"], stacks[0] ?? folder, env, LIMIT_MS);
  if (outcome === undefined)
    return failure(`${quote(binary)} is not in PATH.`, `Install Terraform, or name ${another}`);
  const [, version] = /^((?:Terraform|OpenTofu) v\S+)/m.exec(outcome.stdout) ?? [];
  const works = outcome.succeeded && version !== undefined;
  const words = terraformWords(outcome.stderr);
  if (works && words === undefined) return ok(`${version}.`);
  const how = works ? version : `${quote(`${binary} version`)} fails (${outcome.how})`;
  return (works && words?.startsWith("Warning: ") ? warning : failure)(
    `${how}. ${words ?? shortened(outcome.stderr.trim(), 200)}`,
    `Correct what it reports, or name ${another}`,
  );
}

/** Whether the folder has anything to check. */
export function checkProject({ folder, stacks, hasSource }: DoctorContext): Finding {
  if (stacks.length > 0)
    return ok(`Stacks: ${shortened(stacks.map((stack) => basename(stack)).join(", "), 200)}.`);
  const nothing = `${pathInShell(folder)} has no Terraform configuration, and no output folder with a stack that uses the provider`;
  if (hasSource) return skipped(`${nothing}.`);
  return failure(
    `${nothing}; and the environment (OS_…) has no credentials: there is nothing to check.`,
    `Synthesize first (${FRAMEWORK.name} synth), or give the folder of the project, of its output or of a stack.`,
  );
}

/** Variables that lead Terraform elsewhere, or secrets into logs. */
export function checkEnvironment({ env, program, version }: DoctorContext) {
  const { TF_LOG = "", TF_CLI_ARGS = "", TF_CLI_ARGS_init = "", TF_PLUGIN_CACHE_DIR = "" } = env;
  const cached = [...PROVIDER_SOURCE.split("/"), version, thisPlatform()];
  const isLinked = TF_PLUGIN_CACHE_DIR !== "" && linkOn(TF_PLUGIN_CACHE_DIR, cached) !== undefined;
  const rows: readonly (readonly [boolean, string, string])[] = [
    [
      /^(TRACE|DEBUG|JSON)$/i.test(TF_LOG),
      "TF_LOG makes Terraform log its messages to and from providers, and other providers may log their arguments, tokens included.",
      "Unset it where logs are stored, or log one part only: TF_LOG_PROVIDER, TF_LOG_CORE.",
    ],
    [
      /-plugin-dir/.test(TF_CLI_ARGS + TF_CLI_ARGS_init),
      "TF_CLI_ARGS or TF_CLI_ARGS_init has -plugin-dir: init looks for providers in that folder alone.",
      `Put the provider into it, ${program} install DIR, or run Terraform with ${program} run --.`,
    ],
    [
      isLinked,
      "In the folder of TF_PLUGIN_CACHE_DIR, the provider is a link into the folder of a stack: when that is removed, other stacks lose the provider.",
      `rm -r "$TF_PLUGIN_CACHE_DIR/${PROVIDER_SOURCE}", then put the provider itself there: ${program} install "$TF_PLUGIN_CACHE_DIR".`,
    ],
  ];
  const found = rows.filter(([is]) => is).map(([, text, remedy]) => warning(text, remedy));
  return found.length === 0 ? ok("No variable leads secrets or Terraform elsewhere.") : found;
}
