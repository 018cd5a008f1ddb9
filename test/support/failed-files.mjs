// The test files with failures in a JSON result of jest, a line each, for a second run; none if a
// file could not be loaded or more than three have failures: that is no chance.
//   node test/support/failed-files.mjs RESULTS.json

import { readFileSync } from "node:fs";

const MOST = 3;
const { testResults = [], numRuntimeErrorTestSuites = 0 } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);
const failed = testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
if (numRuntimeErrorTestSuites === 0 && failed.length <= MOST)
  for (const name of new Set(failed)) console.log(name);
