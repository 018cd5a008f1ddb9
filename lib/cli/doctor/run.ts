import { type Command, runProgram } from "../../provider/process/run-program";
import type { DoctorContext } from "./finding";

/** Bytes that a program may print: far above all that Terraform says of one folder. */
const OUTPUT_LIMIT = 1_000_000;

/**
 * Runs a program to its end, for the words of a check.
 *
 * @param limitMs milliseconds
 * @returns undefined if it is not in PATH
 */
export async function run(
  command: Command,
  cwd: string,
  env: DoctorContext["env"],
  limitMs: number,
) {
  const { end, by, stdout, stderr } = await runProgram(command, {
    ...{ cwd, env, limitMs, limitBytes: OUTPUT_LIMIT, stderr: "pipe" },
  });
  if (end === "not found") return undefined;
  const late = `no end within ${limitMs / 1000} s`;
  const words: Partial<Record<typeof end, string>> = {
    exited: `exit code ${by}`,
    late,
    held: late,
    verbose: "endless output",
  };
  return {
    succeeded: end === "exited" && by === "0",
    /** `exit code 3`, `SIGKILL`, `EACCES`. */
    how: words[end] ?? by,
    stdout: stdout.toString(),
    stderr: stderr.toString(),
  };
}
