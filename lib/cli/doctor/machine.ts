import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installedPackage } from "../../delivery/package-root";
import { hasOwnFolder, PLATFORMS, thisPlatform } from "../../delivery/platforms";
import { FRAMEWORK, OWN_PACKAGE } from "../../framework";
import { PROVIDER_SOURCE } from "../../provider/names";
import { quote, SHARED_VARIABLES, STOPS_USING, shortened, withheld } from "../../tokens";
import { pathInShell } from "../shell-quoted";
import type { Check } from "./check";
import { failure, ok, skipped, warning } from "./finding";
import { run } from "./run";
import { terraformWords } from "./terraform-words";

const LIMIT_MS = 10_000;

/** The Node.js that the provider's launcher finds, which may differ from the one that runs this. */
export const checkNode: Check = async ({ env, folder, version }) => {
  const manifest = readFileSync(join(installedPackage().root, "package.json"), "utf8");
  const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } };
  const needed = engines.node.replace(">=", "");
  const outcome = await run(["node", "--version"], folder, env, LIMIT_MS);
  const [, found] = /^v(\d.*)$/.exec(outcome?.stdout.trim() ?? "") ?? [];
  // Terraform does not look for one that runs already.
  const isRunning = env.TF_REATTACH_PROVIDERS?.includes(PROVIDER_SOURCE) === true;
  if (!hasOwnFolder() && !isRunning)
    return failure(
      `The provider is not for ${thisPlatform()}, but for ${PLATFORMS.join(", ")}.`,
      process.platform === "win32"
        ? "Run the Terraform of windows_amd64."
        : "Run Terraform with iam-tokens run --, which needs no installed provider, or on one of those platforms.",
    );
  if (found !== undefined && found.localeCompare(needed, "en", { numeric: true }) >= 0)
    return ok(`Node.js ${found}, ${thisPlatform()}, ${OWN_PACKAGE} ${version}.`);
  const problem =
    outcome === undefined
      ? '"node" is not in PATH'
      : found === undefined
        ? `The "node" in PATH does not print its version (${outcome.how})`
        : `The "node" in PATH is ${found}`;
  return failure(
    `${problem}; the provider needs ${needed} or newer.`,
    `Install Node.js ${needed} or newer, in PATH of the machine that runs Terraform.`,
  );
};

/** Which Terraform or OpenTofu is run here, and what it says about its CLI configuration. */
export const checkTerraform: Check = async ({ binary, env, folder, project }) => {
  const cwd = project.stacks[0]?.folder ?? folder;
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
export const checkProject: Check = ({ folder, project: { cdktf, stacks }, services }) => {
  if (stacks.length > 0)
    return ok(`Stacks: ${shortened(stacks.map(({ name }) => name).join(", "), 200)}.`);
  const nothing = `${pathInShell(folder)} has no Terraform configuration and no output folder`;
  if (!cdktf && services.length > 0) return skipped(`${nothing}.`);
  if (!cdktf)
    return failure(
      `${nothing}, and the environment (OS_…) has no credentials: there is nothing to check.`,
      `Synthesize first, or give the folder of the project, of its output or of a stack.`,
    );
  return failure(
    "The project has a cdktf.json, but no synthesized stack with the provider.",
    `Run ${FRAMEWORK.name} synth first, and check that its output folder is the one in cdktf.json.`,
  );
};

/** Variables by which secrets get into logs, and those that keep a token from being used. */
export const checkEnvironment: Check = ({ env, project }) => {
  const shared = SHARED_VARIABLES.filter((name) => env[name]);
  const concerned = project.stacks.filter(({ forOpenstack }) => forOpenstack);
  if (shared.length > 0 && concerned.length > 0) {
    const given = `${shared.join(", ")} ${shared.length > 1 ? "are" : "is"} set`;
    const stacks = concerned.map(({ name }) => name);
    return { ...warning(`${given}: ${STOPS_USING}.`, withheld(shared)), stacks };
  }
  return /^(TRACE|DEBUG|JSON)$/i.test(env.TF_LOG ?? "")
    ? warning(
        "TF_LOG makes Terraform log its messages to and from providers, and other providers may log their arguments, tokens included.",
        "Unset it where logs are stored, or log one part only: TF_LOG_PROVIDER, TF_LOG_CORE.",
      )
    : ok("No variable makes Terraform log secrets.");
};
