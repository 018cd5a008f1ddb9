import { accessSync, constants, existsSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { differentFile } from "../../delivery/different-file";
import { PLUGIN_FOLDER, pluginFolder } from "../../delivery/lay-out";
import { LOCK_FILE } from "../../delivery/lock/lock-file";
import { packageVersion } from "../../delivery/package-root";
import { thisPlatform } from "../../delivery/platforms";
import { folderFor, type ProviderFiles, readProviderFiles } from "../../delivery/provider-files";
import { isTable, tablesIn } from "../../hcl/json";
import { NoFolderError } from "../../plugin/launch/fresh-folder";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { readRegularFile } from "../../provider/secrets/read-regular-file";
import { errorCodeOf, escaped, quote, shortened } from "../../tokens";
import { pathInShell } from "../shell-quoted";
import type { Stack } from "../stacks";
import type { Check, DoctorContext } from "./check";
import { type Finding, failure, ok, skipped } from "./finding";
import { run } from "./run";
import { remedyFor, terraformWords } from "./terraform-words";
import { makeTrialFolder } from "./trial-folder";

/** Time limit of each command: a mirror may be far away. */
const LIMIT_MS = 60_000;

/**
 * Whether Terraform finds, accepts and starts the provider. Only Terraform knows where it searches:
 * so it is run, in a folder of its own, with what a stack requires and its lock file.
 */
export const checkInit: Check = async (context) => {
  const { stacks } = context.project;
  if (stacks.length === 0) return skipped("No stack uses the provider.");
  const own = readProviderFiles();
  const trials = new Map<string, Promise<Finding>>();
  const found: Finding[] = [];
  for (const stack of stacks) {
    const file = join(stack.folder, LOCK_FILE);
    const reading = await readRegularFile(file);
    if ("failure" in reading && reading.failure !== "missing")
      return failure(`${escaped(file)} ${reading.why}.`, "Remove it, and synthesize again.");
    const lock = "content" in reading ? String(reading.content) : "";
    const provider = providerOf(stack, own);
    if (typeof provider === "object") {
      found.push({ ...provider, stacks: [stack.name] });
      continue;
    }
    // Most stacks differ in nothing that matters here.
    const key = JSON.stringify([requirementOf(stack), lock, provider !== undefined]);
    const trial = trials.get(key) ?? tryIn(stack, lock, provider, context);
    trials.set(key, trial);
    found.push({ ...(await trial), stacks: [stack.name] });
  }
  return found;
};

function requirementOf({ terraform }: Stack) {
  const required = tablesIn(terraform.required_providers).flatMap(Object.values).filter(isTable);
  const { version } = required.find(({ source }) => source === PROVIDER_SOURCE) ?? {};
  return {
    terraform: {
      required_version: terraform.required_version,
      required_providers: {
        [PROVIDER_TYPE]: {
          source: PROVIDER_SOURCE,
          ...(typeof version === "string" && { version }),
        },
      },
    },
    provider: { [PROVIDER_TYPE]: [{}] },
  };
}

/**
 * The folder of the stack's provider that Terraform may start: its files are this package's own, as
 * a fresh checkout may bring others.
 *
 * @returns undefined if the stack has none; or why nothing is started
 */
function providerOf(stack: Stack, own: ProviderFiles): string | undefined | Finding {
  const base = pluginFolder(stack.folder);
  const { version = own.version }: { readonly version?: string } =
    requirementOf(stack).terraform.required_providers[PROVIDER_TYPE];
  if (version !== own.version && existsSync(join(base, version)))
    return skipped(
      `Not tried: the stack has version ${quote(version)} of the provider, and this command, of ${own.version}, starts no other. Synthesize again, or use the command of that version.`,
    );
  const platform = thisPlatform();
  const folder = join(base, own.version, platform);
  if (!existsSync(folder)) return undefined;
  const way = [...PLUGIN_FOLDER, own.version, platform];
  const different = differentFile(stack.folder, way, folderFor(own, platform).files);
  if (different === undefined) return folder;
  return notOurs(different, `remove ${pathInShell(base)}, and synthesize again.`);
}

function notOurs(path: string, remedy: string): Finding {
  return failure(
    `${escaped(path)} is not this package's, or is missing: Terraform would refuse it by the lock file's hash, and run it without one. It was not started here.`,
    `Find out who changed it. Then ${remedy}`,
  );
}

async function tryIn(
  stack: Stack,
  lock: string,
  provider: string | undefined,
  { binary, env }: DoctorContext,
): Promise<Finding> {
  let trial: ReturnType<typeof makeTrialFolder>;
  try {
    trial = makeTrialFolder(requirementOf(stack), lock, packageVersion(), env);
  } catch (error) {
    if (!(error instanceof NoFolderError)) throw error;
    return failure(
      `No folder can be made for temporary files: ${error.message}.`,
      "Set TMPDIR to a folder of yours, in which others may not write.",
    );
  }
  process.once("exit", trial.remove);
  try {
    try {
      // Windows allows everybody a junction, but not a link; Wine, and some file systems, neither.
      if (provider !== undefined)
        symlinkSync(provider, join(trial.plugins, thisPlatform()), "junction");
    } catch (error) {
      return skipped(`Not tried: ${escaped(trial.path)} can hold no link (${errorCodeOf(error)}).`);
    }
    const cache = cacheFor(stack, trial.cache, env);
    const different = differentIn(cache);
    if (different !== undefined)
      return notOurs(different, "remove it from the folder in TF_PLUGIN_CACHE_DIR.");
    for (const command of [["init", "-backend=false", "-input=false"], ["validate"]]) {
      // A version manager chooses the version by the working folder.
      const outcome = await run(
        [binary, `-chdir=${trial.path}`, ...command, "-no-color"],
        stack.folder,
        environmentOf(env, cache),
        LIMIT_MS,
      );
      if (outcome === undefined) return skipped(`Not tried: ${quote(binary)} is not in PATH.`);
      if (outcome.succeeded) continue;
      const { stdout, stderr, how } = outcome;
      const words =
        terraformWords(stderr) ?? terraformWords(stdout) ?? shortened(stderr.trim(), 200);
      return failure(
        `${quote(`${binary} ${command[0]}`)} fails for the provider (${how}). ${words}`,
        cache !== trial.cache && words.includes(cache)
          ? CACHE_REMEDY
          : remedyFor(words, stack.folder),
      );
    }
    return ok("Terraform finds the provider, accepts it and starts it.");
  } finally {
    process.off("exit", trial.remove);
    trial.remove();
  }
}

/** Variables that would add to the output, or to what `init` does and where. */
const LEFT_OUT = /^TF_(?:LOG\w*|CLI_ARGS\w*|DATA_DIR|WORKSPACE|PLUGIN_CACHE_DIR)$/i;

function environmentOf(env: DoctorContext["env"], cache: string) {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !LEFT_OUT.test(name))),
    TF_PLUGIN_CACHE_DIR: cache,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    // The one launch needs no server that outlives it.
    IAM_TOKENS_HANDOVER: "0",
  };
}

/**
 * The user's own cache only where Terraform cannot write: elsewhere, `init` would replace the link
 * to the provider, through which other stacks find it, by one into the trial folder.
 */
function cacheFor(
  { folder }: Stack,
  own: string,
  { TF_PLUGIN_CACHE_DIR: theirs }: DoctorContext["env"],
) {
  if (!theirs) return own;
  const cache = resolve(folder, theirs);
  let place = join(cache, ...PROVIDER_SOURCE.split("/"), packageVersion());
  while (!existsSync(place)) place = dirname(place);
  try {
    accessSync(place, constants.W_OK);
    return own;
  } catch {
    return cache;
  }
}

/** The first file of a cached provider that is not this package's: Terraform would start it. */
function differentIn(cache: string): string | undefined {
  const [version, platform] = [packageVersion(), thisPlatform()];
  const place = join(cache, ...PROVIDER_SOURCE.split("/"), version, platform);
  if (!existsSync(place)) return undefined;
  // It may be a link that Terraform has made.
  return differentFile(realpathSync(place), [], folderFor(readProviderFiles(), platform).files);
}

const CACHE_REMEDY =
  "Run Terraform with iam-tokens run --, which needs no installed provider; or, where TF_PLUGIN_CACHE_DIR is made, put the provider into it: iam-tokens install DIR.";
