import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { makeScratch, type Scratch } from "../support/scratch";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

test("an error that the import throws is read at once: above it is one statement, no bundle", () => {
  // There is no framework here.
  for (const file of ["dist/index.js", "package.json"])
    cpSync(join(packageRoot, file), join(scratch.folder, file));
  const { status, stderr } = spawnSync(process.execPath, ["-e", 'require("./dist/index.js")'], {
    cwd: scratch.folder,
    env: scratch.env,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  const [above = "", message = ""] = stderr.split("IamTokensError: ");
  expect(message).toMatch(/^cdktf-iam-tokens needs the package cdktf, .*\[ERR_PEER_MISSING\]\n/);
  // Once, and not again as a property.
  expect(stderr.match(/needs the package cdktf/g)).toHaveLength(1);
  expect(above).toMatch(/^\/.*\/dist\/index\.js:\d+\n +throw new IamTokensError\(\n +\^\n\n$/);
});
