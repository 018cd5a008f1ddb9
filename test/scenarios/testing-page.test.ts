import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { makeProject, packageRoot } from "../support/project";
import { scenarios } from "./scenario";

const TRANSFORM = {
  "\\.ts$": [
    require.resolve("@swc/jest"),
    { jsc: { parser: { syntax: "typescript" }, target: "es2022" } },
  ],
};

scenarios("the test that docs/testing.md shows", (stage) => {
  test("passes in a user's project, as it is printed", async () => {
    const { scratch } = stage();
    const read = (path: string) => readFileSync(join(packageRoot, path), "utf8");
    const printed = /^## A whole test\n[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(
      read("docs/testing.md"),
    )?.[1];
    expect(printed).toBe(read("examples/jest/my-stack.test.ts"));
    const project = makeProject({
      app: "",
      files: {
        "my-stack.ts": read("examples/jest/my-stack.ts"),
        "my-stack.test.ts": printed ?? "",
        "jest.config.json": JSON.stringify({
          transform: TRANSFORM,
          cacheDirectory: "<rootDir>/cache",
        }),
      },
    });
    try {
      const jest = join(packageRoot, "node_modules/jest/bin/jest.js");
      const { exitCode, text } = await startCommand(
        process.execPath,
        [jest, "--ci", "--rootDir", project.folder],
        {
          cwd: project.folder,
          // cdktf's Testing.app() makes its folder in the temporary folder, and leaves it there.
          env: { ...scratch.env, TMPDIR: project.folder, CHECKPOINT_DISABLE: "1" },
        },
      ).finished;
      if (exitCode !== 0) throw new Error(`jest ended with ${exitCode}:\n${text}`);
      expect(text).toContain("1 passed, 1 total");
    } finally {
      project.remove();
    }
  });
});
