// The end of what .ci/run prints: the skipped tests by name, then the counts of jest's JSON results
// in a folder.
//   node test/support/count-results.mjs FOLDER [1 when a step has failed]

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, stepFailed = "0"] = process.argv.slice(2);
const tests = [];
let unloaded = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const { testResults = [], numRuntimeErrorTestSuites = 0 } = JSON.parse(
    readFileSync(join(folder, file), "utf8"),
  );
  // A file that cannot be loaded has no tests to fail.
  unloaded += numRuntimeErrorTestSuites;
  tests.push(...testResults.flatMap(({ assertionResults }) => assertionResults));
}

const having = (...wanted) => tests.filter(({ status }) => wanted.includes(status));
const skipped = having("pending", "todo", "skipped", "disabled");
for (const { fullName } of skipped) console.log(`skipped: ${fullName}`);
// A step may fail with no test that did: lint, a process left running, a clean-up after all tests
// of a file.
const failed = Math.max(having("failed").length + unloaded, Number(stepFailed));
console.log(
  `${having("passed").length} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`,
);
