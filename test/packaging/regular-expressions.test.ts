import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../support/project";

const lint = (...files: string[]) => {
  const script = join(packageRoot, "test/packaging/regular-expressions.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script, ...files], { encoding: "utf8" });
  return { status, stderr };
};

test("no regular expression of lib takes more than linear time", () => {
  expect(lint()).toEqual({ status: 0, stderr: "" });
});

test.each([
  String.raw`/\/+$/`,
  String.raw`/\s*\n\s*/g`,
  "/^(a+)+$/",
  String.raw`/^[ \t]*\t[ \t]*$/`,
])("the check finds %s", (pattern) => {
  const folder = mkdtempSync(join(tmpdir(), "iam-lint-"));
  try {
    const file = join(folder, "slow.ts");
    writeFileSync(file, `export const slow: RegExp = ${pattern};\n`);
    const { status, stderr } = lint(file);
    expect(status).toBe(1);
    expect(stderr).toContain(`${pattern}: `);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
