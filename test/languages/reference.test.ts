import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../support/command";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";
import { TOOLS } from "./packed-package";

// It packs, and compiles every example.
jest.setTimeout(600_000);

testIf(existsSync(join(TOOLS, "jsii-docgen")), "nothing is packed")(
  "docs/api/API.md is what jsii-docgen makes of the constructs (npm run docs)",
  async () => {
    const program = `import { makeReference } from "./test/pages/reference.mjs";
process.stdout.write(await makeReference());`;
    const args = ["--input-type=module", "-e", program];
    const made = await succeed(process.execPath, args, packageRoot);
    expect(made).toBe(readFileSync(join(packageRoot, "docs/api/API.md"), "utf8"));
  },
);
