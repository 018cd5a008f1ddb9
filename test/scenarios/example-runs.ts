import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandResult, startCommand } from "../support/command";
import { packageRoot } from "../support/project";
import type { Scenario } from "./world";

export const EXAMPLES = join(packageRoot, "examples");

/** Projects as users have them, with a cdktf.json: test/programs/recipes runs these. */
export const RECIPE_NAMES: readonly string[] = readdirSync(EXAMPLES).filter((name) =>
  existsSync(join(EXAMPLES, name, "cdktf.json")),
);

/** Every other folder with a program, but that of what they share. */
export const EXAMPLE_NAMES: readonly string[] = readdirSync(EXAMPLES).filter(
  (name) =>
    name !== "demo" &&
    !RECIPE_NAMES.includes(name) &&
    readdirSync(join(EXAMPLES, name)).some((file) => file.endsWith(".ts")),
);

/** Whether an example starts the command line of CDKTF. */
export function usesCdktf(name: string): boolean {
  const main = join(EXAMPLES, name, "main.ts");
  return existsSync(main) && readFileSync(main, "utf8").includes(".cdktf(");
}

/**
 * Runs an example by the command that its README.md has, and looks for the lines that it prints.
 */
export async function expectAsPrinted(stage: Scenario, name: string): Promise<void> {
  const readme = readFileSync(join(EXAMPLES, name, "README.md"), "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(readme)?.[1]?.trim() ?? "";
  // cdktf's Testing.app(), in a test of jest, makes its folder in the temporary folder, and leaves
  // it there.
  const env: Record<string, string> = name === "jest" ? { TMPDIR: stage.scratch.home } : {};
  const { exitCode, text } = await shell(stage, block("sh"), env);
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}:\n${text}`);
  // Without the times of the steps.
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/\s+(\d+\.\d s|\(\d+ ms\))$/, ""));
  expect(lines).toEqual(expect.arrayContaining(block("text").split("\n")));
  expect(text).not.toContain("✘");
}

/** Runs a command at the root of the repository. */
export function shell(
  { scratch }: Scenario,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return startCommand("bash", ["-c", command], {
    cwd: packageRoot,
    env: { ...scratch.env, TSX_DISABLE_CACHE: "1", CHECKPOINT_DISABLE: "1", ...env },
  }).finished;
}
