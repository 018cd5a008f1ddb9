import { startCommand } from "./command";

/**
 * This process's environment: it contains settings and caches of package managers and compilers.
 */
export function inherited(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Runs one to its end. A failure is an error with its output. */
export async function succeed(
  file: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = inherited(),
): Promise<string> {
  const timeoutMs = 600_000;
  const { exitCode, stdout, text } = await startCommand(file, args, { cwd, env, timeoutMs })
    .finished;
  if (exitCode !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${exitCode}:\n${text}`);
  return stdout;
}
