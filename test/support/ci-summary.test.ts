import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "./project";

/** A result as jest and `npm test -- platforms` write it. */
const result = (counts: object, ...assertionResults: object[]) => ({
  numPassedTests: 3,
  ...counts,
  testResults: [{ assertionResults }],
});
const SKIPPED = { fullName: "a (skipped: no Go)", status: "pending" };
const ANNOUNCED = { fullName: "b (skipped: core_pattern is a pipe)", status: "pending" };
const UNSTABLE = { fullName: "c", status: "passed", invocations: 2 };

test.each<
  [results: readonly (object | string)[], args: readonly string[], exitCode: number, lines: string]
>([
  [[result({})], [], 0, "3 passed, 0 failed"],
  [[result({}), result({ numFailedTests: 2 })], [], 2, "6 passed, 2 failed"],
  [[result({ numRuntimeErrorTestSuites: 1 })], ["0"], 2, "3 passed, 1 failed"],
  [[result({})], ["1"], 2, "3 passed, 1 failed"],
  [[], ["1"], 2, "0 passed, 1 failed"],
  [[result({}, UNSTABLE)], [], 0, "unstable (failed, then passed): c\n3 passed, 0 failed"],
  [
    [result({ numPendingTests: 1 }, SKIPPED)],
    ["0"],
    0,
    "skipped: a (skipped: no Go)\n3 passed, 0 failed, 1 skipped",
  ],
  [
    [result({ numPendingTests: 1 }, SKIPPED)],
    ["0", "--no-skips"],
    2,
    "skipped, and not announced: a (skipped: no Go)\n3 passed, 0 failed, 1 skipped",
  ],
  [
    [result({ numPendingTests: 1 }, ANNOUNCED)],
    ["0", "--no-skips"],
    0,
    "skipped: b (skipped: core_pattern is a pipe)\n3 passed, 0 failed, 1 skipped",
  ],
  // Of a run that broke off, .ci/run itself writes the last line.
  [["{"], [], 1, ""],
])("the last lines of CI: %#", (results, args, exitCode, lines) => {
  const folder = mkdtempSync(join(tmpdir(), "iam-summary-"));
  try {
    for (const [index, each] of results.entries())
      writeFileSync(
        join(folder, `${index}.json`),
        typeof each === "string" ? each : JSON.stringify(each),
      );
    const program = join(packageRoot, "test/support/ci-summary.mjs");
    const { status, stdout } = spawnSync(process.execPath, [program, folder, ...args], {
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: exitCode, stdout: lines && `${lines}\n` });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
