import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTable, tablesIn } from "../../hcl/json";
import { PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { readRegularFile } from "../../provider/secrets/read-regular-file";
import { errorCodeOf, escaped, quote, shortened } from "../../tokens";
import type { Stack } from "../stacks";
import { type Check, type DoctorContext, type Finding, failure, ok, skipped } from "./check";
import { runProgram } from "./run-program";
import { remedyFor, terraformWords } from "./terraform-words";

/** Time limit of each command: a mirror may be far away. */
const LIMIT_MS = 60_000;
const LOCK_FILE = ".terraform.lock.hcl";
const PLUGINS = "terraform.d";

/**
 * Whether Terraform finds, accepts and starts the provider. Only Terraform knows where it searches:
 * so it is run, in a folder of its own, with what a stack requires and its lock file.
 */
export const checkInit: Check = async (context) => {
  const { stacks } = context.project;
  if (stacks.length === 0) return skipped("No stack uses the provider.");
  const trials = new Map<string, Promise<Finding>>();
  const found: Finding[] = [];
  for (const stack of stacks) {
    const file = join(stack.folder, LOCK_FILE);
    const reading = await readRegularFile(file);
    if ("failure" in reading && reading.failure !== "missing")
      return failure(`${escaped(file)} ${reading.why}.`, "Remove it, and synthesize again.");
    const lock = "content" in reading ? String(reading.content) : "";
    const plugins = existsSync(join(stack.folder, PLUGINS));
    // Most stacks differ in nothing that matters here.
    const key = JSON.stringify([requirementOf(stack), lock, plugins]);
    const trial = trials.get(key) ?? tryIn(stack, lock, context);
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
      required_providers: { [PROVIDER_TYPE]: { source: PROVIDER_SOURCE, version } },
    },
    provider: { [PROVIDER_TYPE]: [{}] },
  };
}

async function tryIn(stack: Stack, lock: string, { binary, env }: DoctorContext): Promise<Finding> {
  const temporary = env.TMPDIR || tmpdir();
  let trial: string;
  try {
    trial = mkdtempSync(join(temporary, "iam-doctor-"));
  } catch (error) {
    return failure(
      `No folder can be made in ${escaped(temporary)}, for temporary files (${errorCodeOf(error)}).`,
      "Set TMPDIR to a folder in which you may write.",
    );
  }
  // No link is followed.
  const remove = () => rmSync(trial, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const cache = mkdtempSync(join(trial, "cache-"));
    writeFileSync(join(trial, "main.tf.json"), JSON.stringify(requirementOf(stack)));
    if (lock !== "") writeFileSync(join(trial, LOCK_FILE), lock);
    const plugins = join(stack.folder, PLUGINS);
    try {
      // Windows allows everybody a junction, but not a link; Wine, and some file systems, neither.
      if (existsSync(plugins)) symlinkSync(plugins, join(trial, PLUGINS), "junction");
    } catch (error) {
      return skipped(`Not tried: ${escaped(temporary)} can hold no link (${errorCodeOf(error)}).`);
    }
    for (const command of [["init", "-backend=false", "-input=false"], ["validate"]]) {
      // A version manager chooses the version by the working folder.
      const outcome = await runProgram(binary, [`-chdir=${trial}`, ...command, "-no-color"], {
        cwd: stack.folder,
        env: environmentOf(env, cache),
        timeoutMs: LIMIT_MS,
      });
      if (outcome === undefined) return skipped(`Not tried: ${quote(binary)} is not in PATH.`);
      if (outcome.succeeded) continue;
      const { stdout, stderr, how } = outcome;
      const words =
        terraformWords(stderr) ?? terraformWords(stdout) ?? shortened(stderr.trim(), 200);
      return failure(
        `${quote(`${binary} ${command[0]}`)} fails for the provider (${how}). ${words}`,
        remedyFor(words, stack.folder),
      );
    }
    return ok("Terraform finds the provider, accepts it and starts it.");
  } finally {
    process.off("exit", remove);
    remove();
  }
}

/** Variables that would add to the output, or to what `init` does and where. */
const LEFT_OUT = /^TF_(?:LOG\w*|CLI_ARGS\w*|DATA_DIR|WORKSPACE|PLUGIN_CACHE_DIR)$/i;

function environmentOf(env: DoctorContext["env"], cache: string) {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !LEFT_OUT.test(name))),
    // In the user's own cache, `init` would replace the link to the provider, through which other
    // stacks find it, by one into the trial folder.
    TF_PLUGIN_CACHE_DIR: cache,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    // The one launch needs no server that outlives it.
    IAM_TOKENS_HANDOVER: "0",
  };
}
