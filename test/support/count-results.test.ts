import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-results-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (run: string, testResults: readonly object[], numRuntimeErrorTestSuites = 0) =>
  writeFileSync(
    join(folder, `${run}.json`),
    JSON.stringify({ testResults, numRuntimeErrorTestSuites }),
  );
const printed = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(__dirname, program), ...args], { encoding: "utf8" }).stdout;

/** Results of one file in each of its projects, as `a passed, b failed`. */
const resultsOf = (projects: readonly string[]) =>
  projects.map((results) => ({
    name: "a.test.ts",
    assertionResults: results
      .split(", ")
      .filter(Boolean)
      .map((result) => {
        const [fullName, status] = result.split(/ (?=\w+$)/);
        return { fullName, status };
      }),
  }));

interface Case {
  readonly runs: Readonly<Record<string, readonly string[]>>;
  /** A run one of whose files cannot be loaded. */
  readonly unloaded?: string;
  readonly stepFailed?: true;
  readonly said: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  "tests of all runs are counted by run, and summed": {
    runs: { one: ["a passed, b failed"], two: ["a passed, c passed"] },
    said: ["1 passed in the run one", "2 passed in the run two", "3 passed, 1 failed"],
  },
  "skipped tests are named, with their run": {
    runs: { one: ["a passed, b (skipped: no Go) pending, c todo"] },
    said: [
      "skipped: one: b (skipped: no Go)",
      "skipped: one: c",
      "1 passed in the run one",
      "1 passed, 0 failed, 2 skipped",
    ],
  },
  "a file that could not be loaded is a failure": {
    runs: { one: ["a passed"] },
    unloaded: "one",
    said: ["1 passed in the run one", "1 passed, 1 failed"],
  },
  "a failed step is a failure, also when no test has failed": {
    runs: { one: ["a passed"] },
    stepFailed: true,
    said: ["1 passed in the run one", "1 passed, 1 failed"],
  },
  "a failed step with a failed test is one": {
    runs: { one: ["a failed"] },
    stepFailed: true,
    said: ["0 passed in the run one", "0 passed, 1 failed"],
  },
  "a second run of files counts for them; what has failed only in the first is named": {
    runs: { one: ["a failed, b passed"], "one.again": ["a passed, b passed"] },
    said: [
      "unstable (failed, then passed alone): one: a",
      "2 passed in the run one",
      "2 passed, 0 failed",
    ],
  },
  "a second run that fails is a failure": {
    runs: { one: ["a failed"], "one.again": ["a failed"] },
    said: ["0 passed in the run one", "0 passed, 1 failed"],
  },
  "a second run that cannot load its file is a failure": {
    runs: { one: ["a passed"], "one.again": [""] },
    unloaded: "one.again",
    said: ["0 passed, 1 failed"],
  },
  "of a file that is in two projects, one failure in the second run is enough": {
    runs: { one: ["a failed", "a passed"], "one.again": ["a failed", "a passed"] },
    said: ["1 passed in the run one", "1 passed, 1 failed"],
  },
  "the second run of a file that is in two projects counts for both": {
    runs: { one: ["a failed", "a passed"], "one.again": ["a passed", "a passed"] },
    said: [
      "unstable (failed, then passed alone): one: a",
      "2 passed in the run one",
      "2 passed, 0 failed",
    ],
  },
  "without any result nothing has passed": {
    runs: {},
    stepFailed: true,
    said: ["0 passed, 1 failed"],
  },
};

test.each(Object.entries(CASES))("%s", (_name, { runs, unloaded, stepFailed, said }) => {
  for (const [run, projects] of Object.entries(runs))
    write(run, resultsOf(projects), run === unloaded ? 1 : 0);
  const text = printed("count-results.mjs", folder, ...(stepFailed ? ["1"] : []));
  expect(text.trim().split("\n")).toEqual(said);
});

describe("files for a second run", () => {
  const failed = (name: string) => ({ name, status: "failed" });
  const wanted = () => printed("failed-files.mjs", join(folder, "one.json"));

  test("are those with failures", () => {
    write("one", [failed("/a"), { name: "/b", status: "passed" }, failed("/c")]);
    expect(wanted()).toBe("/a\n/c\n");
  });

  test("are none if many have failed, or what cannot be loaded", () => {
    write("one", ["/a", "/b", "/c", "/d"].map(failed));
    expect(wanted()).toBe("");
    write("one", [failed("/a")], 1);
    expect(wanted()).toBe("");
  });
});
