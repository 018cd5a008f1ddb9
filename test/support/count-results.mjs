// The end of what .ci/run prints: the skipped tests by name, then the counts of jest's JSON results
// in a folder.
//   node test/support/count-results.mjs FOLDER [1 when a step has failed]

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, stepFailed = "0"] = process.argv.slice(2);
// By file and name: a test that ran in two of the runs is one test, and failed when it failed in
// either.
const tests = new Map();
let unloaded = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const { testResults = [], numRuntimeErrorTestSuites = 0 } = JSON.parse(
    readFileSync(join(folder, file), "utf8"),
  );
  // A file that cannot be loaded has no tests to fail.
  unloaded += numRuntimeErrorTestSuites;
  for (const { name, assertionResults } of testResults) {
    const seen = new Map();
    for (const { fullName, status } of assertionResults) {
      // Two tests of one name in one file are two.
      const nth = (seen.get(fullName) ?? 0) + 1;
      seen.set(fullName, nth);
      const key = `${name}\0${fullName}\0${nth}`;
      tests.set(key, worse(tests.get(key), status));
    }
  }
}

function worse(a, b) {
  return ["failed", "passed"].find((status) => a === status || b === status) ?? "skipped";
}

const having = (status) =>
  [...tests].filter(([, found]) => found === status).map(([key]) => key.split("\0")[1]);
const skipped = having("skipped");
for (const name of skipped) console.log(`skipped: ${name}`);
// A step may fail with no test that did: lint, a process left running, a clean-up after all tests
// of a file.
const failed = Math.max(having("failed").length + unloaded, Number(stepFailed));
console.log(
  `${having("passed").length} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`,
);
