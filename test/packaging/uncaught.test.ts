import { spawnSync } from "node:child_process";
import { packageRoot } from "../support/project";
import { makeScratch, type Scratch } from "../support/scratch";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

test("an uncaught error is read at once: above it is one statement, no bundle", () => {
  const program = `
    const { App, TerraformStack } = require("cdktn");
    const stack = new TerraformStack(new App({ outdir: ${JSON.stringify(scratch.folder)} }), "a");
    require("./dist/index.js").IdentityService.fromEnvironment(stack, "identity");`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", program], {
    cwd: packageRoot,
    env: scratch.env,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  const [above = "", message = ""] = stderr.split("IamTokensError: ");
  expect(message).toMatch(/^The program uses cdktn .*\[ERR_FRAMEWORK_MISMATCH\]\n/);
  // Once, and not again as a property.
  expect(stderr.match(/The program uses cdktn/g)).toHaveLength(1);
  expect(above).toMatch(/^\/.*\/dist\/index\.js:\d+\n +throw new IamTokensError\(\n +\^\n\n$/);
});
