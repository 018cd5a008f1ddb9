import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "../support/project";
import {
  EXAMPLE_NAMES,
  EXAMPLES,
  expectAsPrinted,
  RECIPE_NAMES,
  shell,
  usesCdktf,
} from "./example-runs";
import { scenarios } from "./world";

/** The quick start is run by the demo. */
const WITH_TERRAFORM = EXAMPLE_NAMES.filter((name) => name !== "quick-start" && !usesCdktf(name));

// docs/README.md: Each checks its own results
scenarios("an example", (stage) => {
  test.each(WITH_TERRAFORM)("%s: does as its README.md says", (name) =>
    expectAsPrinted(stage(), name),
  );

  test("whose expectation fails ends with 1, names the expectation, and leaves nothing", async () => {
    const main = join(stage().scratch.folder, "main.ts");
    const text = `import { expectThat, playExample } from "${EXAMPLES}/demo/example";
playExample("broken", async (stage) => {
  await stage.steps.run("a step", async () => expectThat(false, "two and two are five"));
});`;
    writeFileSync(main, text);
    const broken = await shell(stage(), `node --import tsx ${main}`);
    expect(broken.text).toMatch(/✘ a step[\s\S]*This is not so: two and two are five\./);
    expect(broken.exitCode).toBe(1);
  });
});

test("each example has a README.md, and is listed in docs/README.md", () => {
  const readme = readFileSync(join(packageRoot, "docs/README.md"), "utf8");
  const names = [...EXAMPLE_NAMES, ...RECIPE_NAMES];
  expect(names.filter((name) => !existsSync(join(EXAMPLES, name, "README.md")))).toEqual([]);
  expect(names.filter((name) => !readme.includes(`](../examples/${name}`))).toEqual([]);
});

test("the workflow of no-password may ask for an identity token, and uses no secret", () => {
  const text = readFileSync(join(EXAMPLES, "no-password/deploy.yml"), "utf8");
  const { permissions, jobs } = parse(text);
  expect([permissions, jobs.install.permissions]).toEqual([{ contents: "read" }, undefined]);
  expect(jobs.deploy.permissions).toEqual({ contents: "read", "id-token": "write" });
  expect(text).not.toContain("secrets.");
});
