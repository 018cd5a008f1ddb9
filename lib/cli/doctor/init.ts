import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { differentFile } from "../../delivery/different-file";
import { thisPlatform } from "../../delivery/platforms";
import { folderFor, readProviderFiles } from "../../delivery/provider-files";
import { member } from "../../hcl/json";
import { PROVIDER_SOURCE } from "../../provider/names";
import { quote, shortened } from "../../tokens";
import { providerSources } from "../provider-sources";
import { type DoctorContext, type Finding, failure, ok, skipped } from "./finding";
import { run } from "./run";
import { ofStacks } from "./stack-folders";
import { remedyFor, terraformWords } from "./terraform-words";

/** Time limit of each command: a mirror, or a state, may be far away. */
const LIMIT_MS = 120_000;

/**
 * What Terraform itself says about a stack, where it will run and with what its `init` has laid
 * out: only it knows where it searches for providers, and whether it can start them.
 */
export async function checkInit(context: DoctorContext): Promise<Finding | readonly Finding[]> {
  const found: (readonly [string, Finding])[] = [];
  for (const stack of context.stacks) found.push([stack, await judged(stack, context)]);
  return found.length === 0 ? skipped("There is no stack.") : ofStacks(found);
}

async function judged(stack: string, context: DoctorContext): Promise<Finding> {
  const { env, folder, init, binary } = context;
  const installed = resolve(stack, env.TF_DATA_DIR || ".terraform");
  const isAttached = providerSources(folder).some((source) =>
    env.TF_REATTACH_PROVIDERS?.includes(`"${source}"`),
  );
  if (!init && !isAttached && !existsSync(installed))
    return skipped(
      "It was not initialized yet: Terraform was not asked.",
      `Run ${binary} init (deploy does it), or doctor with --init.`,
    );
  const refused = init && (await said(["init", "-input=false"], stack, context));
  if (refused) return refused;
  const different = isAttached ? undefined : await differentIn(installed, stack, context);
  if (different !== undefined)
    return failure(
      `${quote(different, "path")} is not this package's: another version or build has written it, or somebody has changed it. Terraform was not asked, because it would start it.`,
      "Synthesize again, then run init. If it differs still, find out who changed it.",
    );
  const failed = await said(["validate"], stack, context);
  return failed ?? ok("Terraform accepts it, and starts its providers.");
}

/**
 * The first file that is not this package's, of the installed provider that Terraform would start.
 *
 * @param installed Terraform's folder
 */
async function differentIn(installed: string, stack: string, { binary, env }: DoctorContext) {
  const own = readProviderFiles();
  const platform = thisPlatform();
  const outcome = await run([binary, "version", "-json"], stack, env, LIMIT_MS);
  const selections = member(parsed(outcome?.stdout), "provider_selections");
  const version = member(selections, PROVIDER_SOURCE) ?? own.version;
  const place = join(installed, "providers", PROVIDER_SOURCE, String(version), platform);
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
    remedyFor(words, program, stack),
  );
}
