import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { packageRoot } from "../support/project";
import { scenarios } from "./scenario";

const EXAMPLES = join(packageRoot, "examples");

/** Every folder with a program, but that of what they share. */
const names = readdirSync(EXAMPLES).filter(
  (name) =>
    name !== "demo" && readdirSync(join(EXAMPLES, name)).some((file) => file.endsWith(".ts")),
);

/**
 * The quick start is run by quick-start.test.ts: its command would build the package while other
 * tests use it.
 */
const run = names.filter((name) => name !== "quick-start");

interface Readme {
  readonly command: string;
  /** Lines that are printed. */
  readonly printed: readonly string[];
}

function readmeOf(name: string): Readme {
  const text = readFileSync(join(EXAMPLES, name, "README.md"), "utf8");
  const block = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)?.[1] ?? "";
  return { command: block("sh").trim(), printed: block("text").trim().split("\n") };
}

/** Without the times of the steps. */
const lines = (text: string) =>
  text.split("\n").map((line) => line.trim().replace(/\s+(\d+\.\d s|\(\d+ ms\))$/, ""));

scenarios("an example", (stage) => {
  const shell = (command: string, env: Readonly<Record<string, string>> = {}) =>
    startCommand("bash", ["-c", command], {
      cwd: packageRoot,
      env: { ...stage().scratch.env, TSX_DISABLE_CACHE: "1", CHECKPOINT_DISABLE: "1", ...env },
    }).finished;

  // cdktf's Testing.app(), in a test of jest, makes its folder in the temporary folder, and leaves
  // it there.
  test.each(run)("%s: does as its README.md says", async (name) => {
    const { command, printed } = readmeOf(name);
    const { exitCode, text } = await shell(
      command,
      name === "jest" ? { TMPDIR: stage().scratch.home } : {},
    );
    if (exitCode !== 0) throw new Error(`${command} ended with ${exitCode}:\n${text}`);
    expect(lines(text)).toEqual(expect.arrayContaining([...printed]));
    expect(text).not.toContain("✘");
  });

  test("that shows what is not so ends with 1, says what, and leaves nothing", async () => {
    const main = join(stage().scratch.folder, "main.ts");
    const text = `import { expectThat, playExample } from "${EXAMPLES}/demo/example";
playExample("broken", async (stage) => {
  await stage.steps.run("a step", async () => expectThat(false, "two and two are five"));
});`;
    writeFileSync(main, text);
    const broken = await shell(`node --import tsx ${main}`);
    expect(broken.text).toMatch(/✘ a step[\s\S]*This is not so: two and two are five\./);
    expect(broken.exitCode).toBe(1);
  });
});

test("each example has a README.md, and is listed in that of the package", () => {
  const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
  expect(names.filter((name) => !existsSync(join(EXAMPLES, name, "README.md")))).toEqual([]);
  expect(names.filter((name) => !readme.includes(`](examples/${name})`))).toEqual([]);
});
