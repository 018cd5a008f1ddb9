// The end of .ci/run's output: the skipped and the unstable tests by name, how many have passed in
// each run, and the counts in a folder of jest's JSON results. RUN.again.json is the second run of
// files of RUN.json, and counts for them.
//   node test/support/count-results.mjs FOLDER [1 when a step has failed]

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, stepFailed = "0"] = process.argv.slice(2);
const tests = [];
const unstable = [];
let unloaded = 0;

const resultsOf = (run) => {
  const path = join(folder, `${run}.json`);
  const { testResults = [], numRuntimeErrorTestSuites = 0 } = existsSync(path)
    ? JSON.parse(readFileSync(path, "utf8"))
    : {};
  // A file that cannot be loaded has no tests that could fail.
  unloaded += numRuntimeErrorTestSuites;
  return testResults;
};
/** A file may be in several projects of a run: its name stands for all of them. */
const testsByFile = (run) => {
  const found = new Map();
  for (const { name, assertionResults } of resultsOf(run))
    found.set(name, [...(found.get(name) ?? []), ...assertionResults]);
  return found;
};
const failedOf = (found) => found.filter(({ status }) => status === "failed");

for (const file of readdirSync(folder).filter((name) => /^[^.]+\.json$/.test(name))) {
  const run = file.replace(/\.json$/, "");
  const first = testsByFile(run);
  const again = testsByFile(`${run}.again`);
  for (const [name, before] of first) {
    const found = again.get(name) ?? before;
    tests.push(...found.map((test) => ({ ...test, run })));
    if (failedOf(found).length === 0)
      unstable.push(...failedOf(before).map((test) => ({ ...test, run })));
  }
}

const having = (...wanted) => tests.filter(({ status }) => wanted.includes(status));
const skipped = having("pending", "todo", "skipped", "disabled");
for (const { run, fullName } of skipped) console.log(`skipped: ${run}: ${fullName}`);
for (const { run, fullName } of unstable)
  console.log(`unstable (failed, then passed alone): ${run}: ${fullName}`);
const runs = [...new Set(tests.map(({ run }) => run))];
const passedIn = (name) => having("passed").filter(({ run }) => run === name).length;
for (const name of runs) console.log(`${passedIn(name)} passed in the run ${name}`);
// A step may fail without a failed test: lint, a process left running, a clean-up after all tests
// of a file.
const failed = Math.max(having("failed").length + unloaded, Number(stepFailed));
console.log(
  `${having("passed").length} passed, ${failed} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`,
);
