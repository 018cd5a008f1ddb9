import { formatDuration, parseDuration, quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { type Check, cross, type Finding, ok, skipped } from "../finding";
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
  if (maxAge === undefined) return [skipped("No age was given: add --max-age.")];
  const stacks = scene.project.stacks;
  if (stacks.length === 0)
    return [
      cross(
        "There is no stack whose outputs could be read.",
        "Give the project's folder, synthesized.",
      ),
    ];
  const found: Finding[] = [];
  for (const stack of stacks) {
    const read = await readOutput(scene, stack, output);
    if (read.kind === "fault") found.push(read.finding);
    if (read.kind === "value")
      found.push(judge(stack, output, read.value, parseDuration(maxAge), scene.now()));
  }
  if (found.length > 0) return found;
  return [
    cross(
      `No stack has the output ${quote(output)}, so that nobody can say when it was rotated.`,
      `Add it and apply: output "${output}" { value = iam_rotation.NAME.rotated_at }; or name another one with --output.`,
    ),
  ];
};

function judge(
  { name }: Stack,
  output: string,
  value: unknown,
  maxAge: number,
  now: number,
): Finding {
  const shown = `The output ${quote(output)} of the stack ${quote(name)}`;
  const time = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
  // It is not repeated: whatever is no time may be anything.
  if (Number.isNaN(time)) {
    return cross(
      `${shown} is no time.`,
      "Let it be rotated_at of an iam_rotation, or issued_at of a rotating iam_token.",
    );
  }
  const age = now - time;
  if (age < -AHEAD_MS) {
    return cross(
      `${shown} is a time to come: ${value}.`,
      "Let it be rotated_at, the time of the last rotation, and not rotate_at or expires_at; or set the clock of this machine.",
    );
  }
  const ago = `${formatDuration(Math.max(0, age))} ago (${value})`;
  if (age <= maxAge)
    return ok(
      `The stack ${quote(name)} was rotated ${ago}; ${formatDuration(maxAge)} are allowed.`,
    );
  return cross(
    `The stack ${quote(name)} was rotated ${ago}, and ${formatDuration(maxAge)} are allowed: scheduled runs have been missed.`,
    "Look at the last runs of the pipeline, then apply by hand.",
  );
}

type Reading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "none" }
  | { readonly kind: "fault"; readonly finding: Finding };

async function readOutput(scene: Scene, { name, folder }: Stack, output: string): Promise<Reading> {
  const { binary } = await scene.terraform();
  const {
    TF_LOG: _,
    TF_LOG_CORE: __,
    TF_LOG_PROVIDER: ___,
    TF_CLI_ARGS: ____,
    TF_CLI_ARGS_output: _____,
    ...env
  } = scene.env;
  const outcome = await runProgram(binary, ["output", "-no-color", "-json", output], {
    cwd: folder,
    env: { ...env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" },
    timeoutMs: LIMIT_MS,
  });
  const fault = (how: string, remedy: string): Reading => ({
    kind: "fault",
    finding: cross(`The outputs of the stack ${quote(name)} cannot be read: ${how}.`, remedy),
  });
  switch (outcome.kind) {
    case "missing":
    case "not started":
      return fault(`${quote(binary)} cannot be started`, "See the check terraform.");
    case "too late":
      return fault(
        `${quote(binary)} output does not end`,
        "See whether the backend with the state can be reached.",
      );
    case "ended": {
      if (outcome.exitCode === 0)
        return (
          parse(outcome.stdout) ??
          fault("what it prints is no JSON", "Run terraform output by hand.")
        );
      if (
        /Error: Output "[^"]*" not found|No outputs found|no outputs defined/i.test(outcome.stderr)
      )
        return { kind: "none" };
      // The summary of Terraform's error names no value; what is below it may.
      const [, summary = "it fails"] = /Error: ([\w "'.,:()-]{1,120})/.exec(outcome.stderr) ?? [];
      return fault(
        summary.trim(),
        `Run ${binary} init in ${pathInShell(folder)}, with what the backend needs.`,
      );
    }
  }
}

function parse(text: string): Reading | undefined {
  try {
    return { kind: "value", value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
