import { join } from "node:path";
import { formatDuration, parseDuration, pathInShell, quote } from "../../../tokens";
import type { DoctorContext } from "../doctor-context";
import { mayHang, namesIn, REPLACE_WITH_FILE } from "../files";
import { type Check, type Finding, failure, findingsOr, ok, skipped } from "../finding";
import { runProgram } from "../program";
import type { Stack } from "../project";

/** A state may be far away. */
const LIMIT_MS = 60_000;
/** Tolerated difference of clocks for a time in the future. */
const AHEAD_MS = 5 * 60_000;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * Whether the last rotation is recent enough, by a time in the outputs of a stack. Only this output
 * is read: no other one, which may be a token, gets into this process.
 */
export const checkRotationAge: Check = async (context) => {
  const { maxAge, output = "rotated_at" } = context.options;
  if (maxAge === undefined) return skipped("No age was given: add --max-age.");
  const { stacks } = context.project;
  if (stacks.length === 0)
    return failure("No stack has readable outputs.", "Give the folder of a synthesized project.");
  const found: Finding[] = [];
  for (const stack of stacks) {
    const read = await readOutput(context, stack, output);
    if (read === undefined) continue;
    const about = `The output ${quote(output)} of the stack ${quote(stack.name)}`;
    found.push("value" in read ? judge(stack, about, read.value, maxAge, context.now()) : read);
  }
  return findingsOr(found, () =>
    failure(
      `No stack has the output ${quote(output)}, so the time of the last rotation is unknown.`,
      `Add it and apply: output "${output}" { value = iam_rotation.NAME.rotated_at }; or name another one with --output.`,
    ),
  );
};

function judge({ name }: Stack, about: string, value: unknown, max: string, now: number): Finding {
  const time = typeof value === "string" && TIME.test(value) ? Date.parse(value) : Number.NaN;
  // Not repeated: an invalid time may be anything.
  if (Number.isNaN(time))
    return failure(
      `${about} is not a time.`,
      "Set it to rotated_at of an iam_rotation, or issued_at of a rotating iam_token.",
    );
  const [age, maxAge] = [now - time, parseDuration(max)];
  if (age < -AHEAD_MS)
    return failure(
      `${about} is in the future: ${value}.`,
      "Set it to rotated_at, the time of the last rotation, not rotate_at or expires_at; or set the clock of this machine.",
    );
  const rotated = `The stack ${quote(name)} was rotated ${formatDuration(Math.max(0, age))} ago (${value})`;
  const allowed = `${formatDuration(maxAge)} are allowed`;
  if (age <= maxAge) return ok(`${rotated}; ${allowed}.`);
  return failure(
    `${rotated}, but ${allowed}: scheduled runs were missed.`,
    "Check the last runs of the pipeline, then apply by hand.",
  );
}

/** Variables that would add Terraform's log or arguments to the output. */
const LEFT_OUT = /^TF_(LOG|LOG_CORE|LOG_PROVIDER|CLI_ARGS|CLI_ARGS_output)$/;

/** The files of a folder that Terraform reads for an output. */
function filesOfTerraform(folder: string): readonly string[] {
  const names = namesIn(folder).filter((name) =>
    /\.(?:tf|tofu|tfstate|hcl)(?:\.json)?$/.test(name),
  );
  return [...names, ".terraform/terraform.tfstate"].map((name) => join(folder, name));
}

/** The value, or why it cannot be read; undefined without such an output. */
async function readOutput(
  context: DoctorContext,
  { name, folder }: Stack,
  output: string,
): Promise<Finding | { readonly value: unknown } | undefined> {
  const { binary } = await context.terraform();
  const env = Object.fromEntries(
    Object.entries(context.env).filter(([key]) => !LEFT_OUT.test(key)),
  );
  const unread = filesOfTerraform(folder).find(mayHang);
  if (unread !== undefined)
    return failure(
      `The outputs of the stack ${quote(name)} were not read: ${quote(unread)} is not a regular file of a usual size.`,
      REPLACE_WITH_FILE,
    );
  const outcome = await runProgram(binary, ["output", "-no-color", "-json", output], {
    cwd: folder,
    env: { ...env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" },
    timeoutMs: LIMIT_MS,
  });
  const fault = (how: string, remedy: string) =>
    failure(`The outputs of the stack ${quote(name)} cannot be read: ${how}.`, remedy);
  if (outcome.kind === "too late")
    return fault(`${quote(binary)} output timed out`, "Check that the backend can be reached.");
  if (outcome.kind !== "ended")
    return fault(`${quote(binary)} cannot be started`, "See the check terraform.");
  const { exitCode, stdout, stderr } = outcome;
  if (exitCode === 0) {
    try {
      return { value: JSON.parse(stdout) as unknown };
    } catch {
      return fault("its output is not JSON", "Run terraform output by hand.");
    }
  }
  if (/Error: Output "[^"]*" not found|No outputs found|no outputs defined/i.test(stderr))
    return undefined;
  // The summary of Terraform's error contains no value; the rest may.
  const [, summary = "it fails"] = /Error: ([\w "'.,:()-]{1,120})/.exec(stderr) ?? [];
  return fault(
    summary.trim(),
    `Run ${binary} init in ${pathInShell(folder)}, with the backend's settings.`,
  );
}
