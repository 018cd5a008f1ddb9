import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";
import { testIf } from "../support/skips";

const scratch = useScratch();
const LOCKED = join(packageRoot, "lib/build/node");

test("Node.js of the archives is fixed by a sum, for each platform", () => {
  const { packages } = JSON.parse(readFileSync(join(LOCKED, "package-lock.json"), "utf8"));
  const { "": own, ...others } = packages;
  expect(Object.keys(others)).toHaveLength(5);
  expect(Object.values(others)).toEqual(
    Object.keys(own.dependencies).map(() =>
      expect.objectContaining({ integrity: expect.stringMatching(/^sha512-.{88}$/) }),
    ),
  );
  const wheels = readFileSync(join(LOCKED, "requirements.txt"), "utf8");
  expect(wheels.match(/--hash=sha256:[0-9a-f]{64}\b/g)).toHaveLength(2);
});

testIf(process.platform === "linux", "this is not Linux")(
  "what is left of a Node.js without its symbols is smaller, and runs",
  () => {
    const program = join(scratch.folder, "node");
    const text = `import { readFileSync, writeFileSync } from "node:fs";
import { withoutSymbols } from "./lib/build/elf.mjs";
writeFileSync(process.argv[1], withoutSymbols(readFileSync(process.execPath)), { mode: 0o755 });`;
    const args = ["--input-type=module", "-e", text, program];
    expect(spawnSync(process.execPath, args, { cwd: packageRoot }).status).toBe(0);
    expect(statSync(program).size).toBeLessThan(statSync(process.execPath).size);
    // No table of sections.
    expect(readFileSync(program).subarray(58, 64)).toEqual(Buffer.alloc(6));
    expect(spawnSync(program, ["-p", "process.version"], { encoding: "utf8" }).stdout).toBe(
      `${process.version}\n`,
    );
  },
);
