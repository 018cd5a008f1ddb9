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

/** Files of examples/jest that need no framework. */
const RECIPES = ["users-and-time.test.ts", "faults-and-tls.test.ts"];

const source = (name: string) => readFileSync(join(packageRoot, "examples/jest", name), "utf8");

let project: Project;
beforeAll(() => {
  project = makeProject({
    app: "",
    files: {
      ...Object.fromEntries(RECIPES.map((name) => [name, source(name)])),
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
        include: ["*.test.ts"],
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

test("the recipes compile in a user's project, matchers included", async () => {
  const { exitCode, text } = await runInProject("node_modules/typescript/bin/tsc", "-p", ".");
  expect([exitCode, text]).toEqual([0, ""]);
}, 60_000);

test("the recipes pass in a user's project", async () => {
  const { exitCode, text } = await runInProject(
    "node_modules/jest/bin/jest.js",
    "--ci",
    "--rootDir",
    project.folder,
  );
  if (exitCode !== 0) throw new Error(`jest ended with ${exitCode}:\n${text}`);
  expect(text).toContain("Test Suites: 2 passed, 2 total");
}, 60_000);
