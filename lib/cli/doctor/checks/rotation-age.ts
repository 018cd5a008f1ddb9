import { formatDuration, parseDuration, quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { type Check, cross, type Finding, ok, skipped, unless } from "../finding";
import { runProgram } from "../program";
import type { Stack } from "../project";
import type { Scene } from "../scene";

/** A state may be far away. */
const LIMIT_MS = 60_000;
/** A difference of clocks that leaves a time in the future. */
const AHEAD_MS = 5 * 60_000;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * Whether the last rotation is recent enough: a time among the outputs of a stack. The one output
 * is asked for, so that no other, which may be a token, comes into this process.
 */
export const checkRotationAge: Check = async (scene) => {
  const { maxAge, output = "rotated_at" } = scene.options;
  if (maxAge === undefined) return skipped("No age was given: add --max-age.");
  const { stacks } = scene.project;
  if (stacks.length === 0)
    return cross(
      "There is no stack whose outputs could be read.",
      "Give the project's folder, synthesized.",
    );
  const found: Finding[] = [];
  for (const stack of stacks) {
    const read = await readOutput(scene, stack, output);
    if (read === undefined) continue;
    const about = `The output ${quote(output)} of the stack ${quote(stack.name)}`;
    found.push("value" in read ? judge(stack, about, read.value, maxAge, scene.now()) : read);
  }
  return unless(found, () =>
    cross(
      `No stack has the output ${quote(output)}, so that nobody can say when it was rotated.`,
      `Add it and apply: output "${output}" { value = iam_rotation.NAME.rotated_at }; or name another one with --output.`,
    ),
  );
};

function judge({ name }: Stack, about: string, value: unknown, max: string, now: number): Finding {
  const time = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
  // It is not repeated: whatever is no time may be anything.
  if (Number.isNaN(time))
    return cross(
      `${about} is no time.`,
      "Let it be rotated_at of an iam_rotation, or issued_at of a rotating iam_token.",
    );
  const [age, maxAge] = [now - time, parseDuration(max)];
  if (age < -AHEAD_MS)
    return cross(
      `${about} is a time to come: ${value}.`,
      "Let it be rotated_at, the time of the last rotation, and not rotate_at or expires_at; or set the clock of this machine.",
    );
  const rotated = `The stack ${quote(name)} was rotated ${formatDuration(Math.max(0, age))} ago (${value})`;
  const allowed = `${formatDuration(maxAge)} are allowed`;
  if (age <= maxAge) return ok(`${rotated}; ${allowed}.`);
  return cross(
    `${rotated}, and ${allowed}: scheduled runs have been missed.`,
    "Look at the last runs of the pipeline, then apply by hand.",
  );
}

/** What Terraform's log and command line would add to what it prints. */
const LEFT_OUT = /^TF_(LOG|LOG_CORE|LOG_PROVIDER|CLI_ARGS|CLI_ARGS_output)$/;

/** The value, why it cannot be read, or undefined where there is no such output. */
async function readOutput(
  scene: Scene,
  { name, folder }: Stack,
  output: string,
): Promise<Finding | { readonly value: unknown } | undefined> {
  const { binary } = await scene.terraform();
  const env = Object.fromEntries(Object.entries(scene.env).filter(([key]) => !LEFT_OUT.test(key)));
  const outcome = await runProgram(binary, ["output", "-no-color", "-json", output], {
    cwd: folder,
    env: { ...env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" },
    timeoutMs: LIMIT_MS,
  });
  const fault = (how: string, remedy: string) =>
    cross(`The outputs of the stack ${quote(name)} cannot be read: ${how}.`, remedy);
  if (outcome.kind === "too late")
    return fault(
      `${quote(binary)} output does not end`,
      "See whether the backend with the state can be reached.",
    );
  if (outcome.kind !== "ended")
    return fault(`${quote(binary)} cannot be started`, "See the check terraform.");
  const { exitCode, stdout, stderr } = outcome;
  if (exitCode === 0) {
    try {
      return { value: JSON.parse(stdout) as unknown };
    } catch {
      return fault("what it prints is no JSON", "Run terraform output by hand.");
    }
  }
  if (/Error: Output "[^"]*" not found|No outputs found|no outputs defined/i.test(stderr))
    return undefined;
  // The summary of Terraform's error names no value; what is below it may.
  const [, summary = "it fails"] = /Error: ([\w "'.,:()-]{1,120})/.exec(stderr) ?? [];
  return fault(
    summary.trim(),
    `Run ${binary} init in ${pathInShell(folder)}, with what the backend needs.`,
  );
}
