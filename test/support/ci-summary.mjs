// The end of .ci/run's output: which tests were skipped or unstable, and jest's counts.
//   node test/support/ci-summary.mjs FOLDER [1 when a step has failed] [--no-skips]
//
// Ends with 2 if a test or a step has failed; with --no-skips also for a skip that is not announced
// here.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** By a part of their name or reason, tests that a release may skip. */
const ANNOUNCED = ["core_pattern"];

const [folder, stepFailed = "0", noSkips] = process.argv.slice(2);
const results = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
const sum = (member) => results.reduce((total, result) => total + (result[member] ?? 0), 0);

for (const { testResults } of results) {
  for (const { fullName, status, invocations = 1 } of testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  )) {
    if (status === "pending") {
      const isAnnounced = ANNOUNCED.some((part) => fullName.includes(part));
      const isWrong = noSkips === "--no-skips" && !isAnnounced;
      console.log(`skipped${isWrong ? ", and not announced" : ""}: ${fullName}`);
      if (isWrong) process.exitCode = 2;
    }
    if (status === "passed" && invocations > 1)
      console.log(`unstable (failed, then passed): ${fullName}`);
  }
}
const skipped = sum("numPendingTests");
// A step may fail without a failed test: lint, a process left running, a file that cannot be
// loaded.
const failed = Math.max(sum("numFailedTests"), sum("numRuntimeErrorTestSuites"), +stepFailed);
const passed = sum("numPassedTests");
console.log(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
if (failed > 0) process.exitCode = 2;
