import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { differentFile } from "../../delivery/different-file";
import { PLUGIN_FOLDER } from "../../delivery/lay-out";
import { thisPlatform } from "../../delivery/platforms";
import { folderFor, launcherName, readProviderFiles } from "../../delivery/provider-files";
import { member } from "../../hcl/json";
import { PROVIDER_SOURCE } from "../../provider/names";
import { escaped, quote, shortened } from "../../tokens";
import { providerSources } from "../provider-sources";
import type { Check, DoctorContext } from "./context";
import { type Finding, failure, ok, skipped } from "./finding";
import { run } from "./run";
import { ofStacks } from "./stack-folders";
import { remedyFor, terraformWords } from "./terraform-words";

/** Time limit of each command: a mirror, or a state, may be far away. */
const LIMIT_MS = 120_000;

/**
 * What Terraform itself says about a stack, where it will run and with what its `init` has laid
 * out: only it knows where it searches for providers, and whether it can start them.
 */
export const checkInit: Check = async (context) => {
  const found: (readonly [string, Finding])[] = [];
  for (const stack of context.stacks) found.push([stack, await judged(stack, context)]);
  return found.length === 0 ? skipped("There is no stack.") : ofStacks(found);
};

async function judged(stack: string, context: DoctorContext): Promise<Finding> {
  const { env, init, binary } = context;
  const installed = resolve(stack, env.TF_DATA_DIR || ".terraform");
  const sources = providerSources(context.folder);
  const isAttached = sources.some((source) => env.TF_REATTACH_PROVIDERS?.includes(`"${source}"`));
  if (init) {
    const failed = await said(["init", "-input=false"], stack, context);
    if (failed !== undefined) return failed;
  } else if (!existsSync(installed) && !isAttached)
    return skipped(
      "It was not initialized yet: Terraform was not asked.",
      `Run ${binary} init (deploy does it), or doctor with --init.`,
    );
  const providers = join(installed, "providers", ...PROVIDER_SOURCE.split("/"));
  const different = isAttached ? undefined : await differentIn(providers, stack, context);
  if (different !== undefined)
    return failure(
      `${escaped(different)} is not this package's: another version or build has written it, or somebody has changed it. Terraform was not asked, because it would start it.`,
      "Synthesize again, then run init. If it differs still, find out who changed it.",
    );
  const failed = await said(["validate"], stack, context);
  if (failed !== undefined) return failed;
  const uses = isAttached || sources.some((source) => isInstalled(installed, source));
  return ok(
    uses
      ? "Terraform finds the provider, accepts it and starts it."
      : "Terraform accepts it; it does not use the provider.",
  );
}

/** Whether a provider is in Terraform's folder; an address without a host is in that of a program. */
const isInstalled = (installed: string, source: string): boolean =>
  ["", "registry.terraform.io", "registry.opentofu.org"].some((host) =>
    existsSync(join(installed, "providers", host, ...source.split("/"))),
  );

/**
 * The first file that is not this package's, of the installed provider that Terraform would start.
 *
 * @param installed the folder of its versions
 */
async function differentIn(installed: string, stack: string, { binary, env }: DoctorContext) {
  const own = readProviderFiles();
  const platform = thisPlatform();
  const outcome = await run([binary, "version", "-json"], stack, env, LIMIT_MS);
  const selections = member(parsed(outcome?.stdout), "provider_selections");
  const version = member(selections, PROVIDER_SOURCE) ?? own.version;
  const place = join(installed, String(version), platform);
  // Also a link to a folder that has gone: Terraform says so.
  if (!existsSync(place)) return undefined;
  if (version !== own.version) return place;
  // Terraform links what it finds in a folder, and copies what it unpacks.
  return differentFile(realpathSync(place), [], folderFor(own, platform).files);
}

function parsed(json = ""): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Runs Terraform; its failure in its own words. */
async function said(
  command: readonly [string, ...string[]],
  stack: string,
  { binary, env, program }: DoctorContext,
): Promise<Finding | undefined> {
  // In the folder, not by -chdir: wrappers look at the first word, version managers at the folder.
  const outcome = await run([binary, ...command, "-no-color"], stack, env, LIMIT_MS);
  if (outcome === undefined) return skipped(`Not tried: ${quote(binary)} is not in PATH.`);
  const { succeeded, stdout, stderr, how } = outcome;
  if (succeeded) return undefined;
  const words = terraformWords(stderr) ?? terraformWords(stdout) ?? shortened(stderr.trim(), 200);
  return failure(
    `${quote(`${binary} ${command[0]}`)} fails (${how}). ${words}`,
    remedyFor(words, { program, stack, isExecutable: isExecutable(stack) }),
  );
}

/** Whether the launcher has its permission: then its file system prevents its start. */
function isExecutable(stack: string): boolean {
  const { version } = readProviderFiles();
  const platform = thisPlatform();
  const file = join(stack, ...PLUGIN_FOLDER, version, platform, launcherName(version, platform));
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
}
