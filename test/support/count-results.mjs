// The end of .ci/run's output: the skipped tests by name, how many have passed in each run, and the
// counts in a folder of jest's JSON results.
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
  // A file that cannot be loaded has no tests that could fail.
  unloaded += numRuntimeErrorTestSuites;
  const run = file.replace(/\.json$/, "");
  const own = testResults.flatMap(({ assertionResults }) => assertionResults);
  tests.push(...own.map((test) => ({ ...test, run })));
}

const having = (...wanted) => tests.filter(({ status }) => wanted.includes(status));
const skipped = having("pending", "todo", "skipped", "disabled");
for (const { run, fullName } of skipped) console.log(`skipped: ${run}: ${fullName}`);
const runs = [...new Set(tests.map(({ run }) => run))];
const passedIn = (name) => having("passed").filter(({ run }) => run === name).length;
for (const name of runs) console.log(`${passedIn(name)} passed in the run ${name}`);
// A step may fail without a failed test: lint, a process left running, a clean-up after all tests
// of a file.
const failed = Math.max(having("failed").length + unloaded, Number(stepFailed));
console.log(
  `${having("passed").length} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`,
);
