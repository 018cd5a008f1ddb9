import { startCommand } from "./command";

/**
 * Runs one to its end, by default with this process's environment: it has settings and caches of
 * package managers and compilers. A failure is an error with its output.
 */
export async function succeed(
  file: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const timeoutMs = 600_000;
  const { exitCode, stdout, text } = await startCommand(file, args, { cwd, env, timeoutMs })
    .finished;
  if (exitCode !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${exitCode}:\n${text}`);
  return stdout;
}
