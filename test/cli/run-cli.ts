import { Readable } from "node:stream";
import { runCli } from "../../lib/cli/cli";
import type { CliContext } from "../../lib/cli/cli-context";

/** Result of a call of the command. */
export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls the command in this process. */
export async function cli(
  argv: readonly string[],
  more: Partial<CliContext> = {},
): Promise<CliResult> {
  const written = { stdout: "", stderr: "" };
  const terminal = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTTY: false,
    isFile: false,
  });
  const exitCode = await runCli({
    version: "1.2.3",
    argv,
    env: {},
    workingFolder: process.cwd(),
    openStdin: () => Readable.from([]),
    stdout: terminal("stdout"),
    stderr: terminal("stderr"),
    now: () => Date.UTC(2026, 0, 1),
    ...more,
  });
  return { exitCode, ...written };
}
