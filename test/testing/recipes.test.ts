import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { makeProject, type Project, packageRoot } from "../support/project";
import { withScratch } from "../support/scratch";

const TRANSFORM = {
  "\\.ts$": [
    require.resolve("@swc/jest"),
    { jsc: { parser: { syntax: "typescript" }, target: "es2022" } },
  ],
};

const page = readFileSync(join(packageRoot, "docs/testing.md"), "utf8");

/** The recipes of docs/testing.md, in order. */
const recipes = [
  ...page.slice(page.indexOf("\n## Recipes")).matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = ""]) => code);

let project: Project;
beforeAll(() => {
  project = makeProject({
    app: "",
    files: {
      ...Object.fromEntries(recipes.map((code, index) => [`recipe-${index + 1}.test.ts`, code])),
      "jest.config.json": JSON.stringify({
        transform: TRANSFORM,
        cacheDirectory: "<rootDir>/cache",
      }),
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "es2022",
          module: "node16",
          moduleResolution: "node16",
          strict: true,
          noEmit: true,
          types: ["node", "jest"],
        },
        include: ["recipe-*.ts"],
      }),
    },
    packages: ["@types"],
  });
});
afterAll(() => project.remove());

const runInProject = (script: string, ...args: readonly string[]) =>
  withScratch(undefined, async ({ env }) => {
    const command = startCommand(process.execPath, [join(packageRoot, script), ...args], {
      cwd: project.folder,
      env,
    });
    return await command.finished;
  });

test("docs/testing.md has two recipes", () => {
  expect(recipes).toHaveLength(2);
});

test("the recipes compile in a user's project, matchers included", async () => {
  const { exitCode, text } = await runInProject("node_modules/typescript/bin/tsc", "-p", ".");
  expect([exitCode, text]).toEqual([0, ""]);
}, 60_000);

test("the recipes pass in a user's project, as they are printed", async () => {
  const { exitCode, text } = await runInProject(
    "node_modules/jest/bin/jest.js",
    "--ci",
    "--rootDir",
    project.folder,
  );
  if (exitCode !== 0) throw new Error(`jest ended with ${exitCode}:\n${text}`);
  expect(text).toContain("Test Suites: 2 passed, 2 total");
}, 60_000);
