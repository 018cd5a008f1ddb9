import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { installedPackage } from "../../delivery/package-root";
import { hasOwnFolder, PLATFORMS, thisPlatform } from "../../delivery/platforms";
import { FRAMEWORK, OWN_PACKAGE } from "../../framework";
import { cleanEnvironment } from "../../plugin/launcher/clean-environment";
import { PROVIDER_SOURCE } from "../../provider/names";
import { quote, shortened } from "../../tokens";
import { pathInShell } from "../shell-quoted";
import type { Check, DoctorContext } from "./context";
import { type Finding, failure, ok, skipped, warning } from "./finding";
import { run } from "./run";
import { terraformWords } from "./terraform-words";

const LIMIT_MS = 10_000;

/** Node.js has no --version of its own where Bun takes its place. */
const NODE = ["node", "-p", "process.version"] as const;

/**
 * The Node.js that the provider's launcher finds: in a stack's folder, by which version managers
 * choose, and without the variables that the launcher removes.
 */
export const checkNode: Check = async ({
  env,
  folder,
  stacks: [cwd = folder],
  version,
  program,
}) => {
  const manifest = readFileSync(join(installedPackage().root, "package.json"), "utf8");
  const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
  const needed = engines.node.replace(">=", "");
  const outcome = await run(
    NODE,
    cwd,
    cleanEnvironment(env, "IAM_TOKENS_EXTRA_CA_CERTS"),
    LIMIT_MS,
  );
  // Terraform does not look for one that runs already.
  const isRunning = env.TF_REATTACH_PROVIDERS?.includes(PROVIDER_SOURCE) === true;
  if (!hasOwnFolder() && !isRunning)
    return failure(
      `The provider is not for ${thisPlatform()}, but for ${PLATFORMS.join(", ")}.`,
      process.platform === "win32"
        ? "Run the Terraform of windows_amd64."
        : `Run Terraform with ${program} run --, which needs no installed provider, or on one of those platforms.`,
    );
  const printed = outcome?.stdout.trim() ?? "";
  const [, before, found] = /^([\s\S]*?)^v(\d\S*)$/m.exec(printed) ?? [];
  const install = `Install Node.js ${needed} or newer, in PATH of the machine that runs Terraform.`;
  if (outcome === undefined)
    return failure(`"node" is not in PATH; the provider needs ${needed} or newer.`, install);
  if (found === undefined) {
    const said = shortened(outcome.stderr.trim(), 200);
    return failure(`The "node" in PATH does not start (${outcome.how}). ${said}`, install);
  }
  if (before !== "")
    return failure(
      `The "node" in PATH prints ${quote(String(before).trim())} before it starts: Terraform takes that for the provider's first line.`,
      "Let its shim print to standard error, or put the program itself first in PATH.",
    );
  if (found.localeCompare(needed, "en", { numeric: true }) < 0)
    return failure(
      `The "node" in PATH is ${found}; the provider needs ${needed} or newer.`,
      install,
    );
  return ok(`Node.js ${found}, ${thisPlatform()}, ${OWN_PACKAGE} ${version}.`);
};

/** Which Terraform or OpenTofu is run here, and what it says about its CLI configuration. */
export const checkTerraform: Check = async ({ binary, env, folder, stacks: [cwd = folder] }) => {
  const outcome = await run([binary, "version"], cwd, env, LIMIT_MS);
  const choose = "Install Terraform or OpenTofu, or name the program: TERRAFORM_BINARY_NAME=tofu.";
  if (outcome === undefined) return failure(`${quote(binary)} is not in PATH.`, choose);
  const [, version] = /^((?:Terraform|OpenTofu) v\S+)/m.exec(outcome.stdout) ?? [];
  const works = outcome.succeeded && version !== undefined;
  const words = terraformWords(outcome.stderr);
  if (works && words === undefined) return ok(`${version}.`);
  const said = words ?? shortened(outcome.stderr.trim(), 200);
  const how = works ? `${version}` : `${quote(`${binary} version`)} fails (${outcome.how})`;
  const finding = works && words?.startsWith("Warning: ") ? warning : failure;
  return finding(
    `${how}. ${said}`,
    "Correct what it reports, or name another program: TERRAFORM_BINARY_NAME=tofu.",
  );
};

/** Whether the folder has anything to check. */
export const checkProject: Check = ({ folder, stacks, source }) => {
  if (stacks.length > 0)
    return ok(`Stacks: ${shortened(stacks.map((stack) => basename(stack)).join(", "), 200)}.`);
  const nothing = `${pathInShell(folder)} has no Terraform configuration, and no output folder with a stack that uses the provider`;
  if (source !== undefined) return skipped(`${nothing}.`);
  return failure(
    `${nothing}; and the environment (OS_…) has no credentials: there is nothing to check.`,
    `Synthesize first (${FRAMEWORK.name} synth), or give the folder of the project, of its output or of a stack.`,
  );
};

/** Variables that lead Terraform elsewhere, or secrets into logs. */
export const checkEnvironment: Check = (context) => {
  const { env, program } = context;
  const found: Finding[] = [];
  if (/^(TRACE|DEBUG|JSON)$/i.test(env.TF_LOG ?? ""))
    found.push(
      warning(
        "TF_LOG makes Terraform log its messages to and from providers, and other providers may log their arguments, tokens included.",
        "Unset it where logs are stored, or log one part only: TF_LOG_PROVIDER, TF_LOG_CORE.",
      ),
    );
  const directed = ["TF_CLI_ARGS", "TF_CLI_ARGS_init"].find((name) =>
    /-plugin-dir/.test(env[name] ?? ""),
  );
  if (directed !== undefined)
    found.push(
      warning(
        `${directed} has -plugin-dir: init looks for providers in that folder alone.`,
        `Put the provider into it, ${program} install DIR, or run Terraform with ${program} run --.`,
      ),
    );
  const linked = linkInCache(context);
  if (linked !== undefined)
    found.push(
      warning(
        `${pathInShell(linked)}, of TF_PLUGIN_CACHE_DIR, is a link into the folder of a stack: when that is removed, the stacks of others lose the provider.`,
        `Remove it, and put the provider itself there: ${program} install "$TF_PLUGIN_CACHE_DIR".`,
      ),
    );
  return found.length === 0 ? ok("No variable leads secrets or Terraform elsewhere.") : found;
};

/** In the plugin cache, what `init` has linked. */
function linkInCache({ env: { TF_PLUGIN_CACHE_DIR: cache }, version }: DoctorContext) {
  if (!cache) return undefined;
  const place = join(cache, ...PROVIDER_SOURCE.split("/"), version, thisPlatform());
  const isLink = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? place : undefined;
}
