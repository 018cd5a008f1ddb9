import { NoFolderError } from "../../../plugin/launch/fresh-folder";
import { errorCodeOf, quote } from "../../../tokens";
import type { Check, DoctorContext } from "../doctor-context";
import { type Finding, failure, findingsOr, hasRun, ok, skipped } from "../finding";
import { type ProgramOutcome, runProgram } from "../program";
import type { Stack } from "../project";
import { terraformWords } from "../terraform-words";
import { makeTrialFolder } from "../trial-folder";
import { checkEnvironment, checkNode, checkTerraform } from "./machine";
import { checkRequiredProviders } from "./project";
import { checkLockFiles, checkProviderFiles, lockEntryOf } from "./provider-files";

/** They name the cause of a failure better than Terraform. */
const BEFORE = {
  node: checkNode,
  terraform: checkTerraform,
  "required-providers": checkRequiredProviders,
  "provider-files": checkProviderFiles,
  "lock-files": checkLockFiles,
  environment: checkEnvironment,
} satisfies Record<string, Check>;

/** Time limit of each command: a mirror may be far away. */
const LIMIT_MS = 60_000;

/**
 * Whether Terraform finds, accepts and starts the provider. Only Terraform knows where it searches:
 * so it is run, in a folder of its own.
 */
export const checkInit: Check = async (context) => {
  if (context.stacks.length === 0) return skipped("No stack uses the provider.");
  for (const [name, check] of Object.entries(BEFORE)) {
    const found = [await context.findings(check)].flat();
    if (found.some(({ status }) => status === "failed"))
      return skipped(`Not tried: first fix what the check ${name} reports.`);
  }
  const found: Finding[] = [];
  const tried = new Set<string>();
  for (const stack of context.stacks) {
    const lockEntry = await lockEntryOf(stack);
    // Most stacks differ in nothing that matters here.
    const key = JSON.stringify([stack.hasPlugins, stack.required, lockEntry]);
    if (tried.has(key)) continue;
    tried.add(key);
    found.push(...(await tryIn(stack, lockEntry, context)));
  }
  return findingsOr(found, () => ok("Terraform finds the provider, accepts it and starts it."));
};

async function tryIn(
  stack: Stack,
  lockEntry: string | undefined,
  context: DoctorContext,
): Promise<readonly Finding[]> {
  const { binary } = await context.terraform();
  let trial: ReturnType<typeof makeTrialFolder>;
  try {
    trial = makeTrialFolder(stack, lockEntry, context.env);
  } catch (error) {
    const why = error instanceof NoFolderError ? error.message : errorCodeOf(error);
    return [skipped(`Not tried: no folder can be made for it: ${why}.`)];
  }
  try {
    for (const command of [["init", "-backend=false", "-input=false"], ["validate"]]) {
      // A version manager chooses the version by the working folder.
      const outcome = await runProgram(binary, [`-chdir=${trial.path}`, ...command, "-no-color"], {
        cwd: stack.folder,
        env: environmentOf(context.env, trial.cache),
        timeoutMs: LIMIT_MS,
        onSignal: trial.remove,
      });
      const why = problemOf(outcome);
      if (why !== undefined)
        return [
          failure(
            `${quote(binary)} ${command[0]} fails for the provider of the stack ${quote(stack.name)}: ${why}`,
            REMEDY(),
          ),
        ];
    }
    return [];
  } finally {
    trial.remove();
  }
}

const REMEDY = () =>
  `${hasRun() ? "Run Terraform with iam-tokens run --, which needs no installed provider; or install" : "Install"} the provider (iam-tokens install DIR) and add the printed lines to Terraform's CLI configuration, merged with a provider_installation block that is there.`;

/** Variables that would add to the output, or to what `init` does and where. */
const LEFT_OUT = /^TF_(?:LOG\w*|CLI_ARGS\w*|DATA_DIR|WORKSPACE|PLUGIN_CACHE_DIR)$/i;

function environmentOf(env: DoctorContext["env"], cache: string): DoctorContext["env"] {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !LEFT_OUT.test(name))),
    TF_PLUGIN_CACHE_DIR: cache,
    CHECKPOINT_DISABLE: "1",
    TF_IN_AUTOMATION: "1",
    // The one launch needs no server that outlives it.
    IAM_TOKENS_HANDOVER: "0",
  };
}

function problemOf(outcome: ProgramOutcome): string | undefined {
  if (outcome.kind === "missing") return "it is no longer in PATH.";
  if (outcome.kind === "not started") return `it cannot be started (${outcome.code}).`;
  if (outcome.kind === "too late") return `it had not ended after ${LIMIT_MS / 1000} s.`;
  const { exitCode, stdout, stderr } = outcome;
  if (exitCode === 0) return undefined;
  return terraformWords(stderr) ?? terraformWords(stdout) ?? `exit code ${exitCode}.`;
}
