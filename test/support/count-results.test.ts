import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-results-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (file: string, tests: readonly (readonly [string, string])[], more: object = {}) =>
  writeFileSync(
    join(folder, file),
    JSON.stringify({
      testResults: [
        {
          name: "a.test.ts",
          assertionResults: tests.map(([fullName, status]) => ({ fullName, status })),
        },
      ],
      ...more,
    }),
  );
const lines = (...args: string[]) => {
  const { stdout } = spawnSync(
    process.execPath,
    [join(__dirname, "count-results.mjs"), folder, ...args],
    { encoding: "utf8" },
  );
  return stdout.trim().split("\n");
};

test("tests of all runs are counted by run, and summed", () => {
  run("one.json", [
    ["a", "passed"],
    ["b", "failed"],
  ]);
  run("two.json", [
    ["a", "passed"],
    ["c", "passed"],
  ]);
  expect(lines()).toEqual([
    "1 passed in the run one",
    "2 passed in the run two",
    "3 passed, 1 failed",
  ]);
});

test("skipped tests are named, with their run", () => {
  run("one.json", [
    ["a", "passed"],
    ["b (skipped: no Go)", "pending"],
    ["c", "todo"],
  ]);
  expect(lines()).toEqual([
    "skipped: one: b (skipped: no Go)",
    "skipped: one: c",
    "1 passed in the run one",
    "1 passed, 0 failed, 2 skipped",
  ]);
});

test("a file that could not be loaded is a failure", () => {
  run("one.json", [["a", "passed"]], { numRuntimeErrorTestSuites: 1 });
  expect(lines().at(-1)).toBe("1 passed, 1 failed");
});

test("a failed step is a failure, also when no test has failed", () => {
  run("one.json", [["a", "passed"]]);
  expect(lines("1").at(-1)).toBe("1 passed, 1 failed");
  run("one.json", [["a", "failed"]]);
  expect(lines("1").at(-1)).toBe("0 passed, 1 failed");
});

describe("a second run of files", () => {
  test("counts for them; what has failed only in the first is named", () => {
    run("one.json", [
      ["a", "failed"],
      ["b", "passed"],
    ]);
    run("one.again.json", [
      ["a", "passed"],
      ["b", "passed"],
    ]);
    expect(lines()).toEqual([
      "unstable (failed, then passed alone): one: a",
      "2 passed in the run one",
      "2 passed, 0 failed",
    ]);
  });

  test("that fails is a failure", () => {
    run("one.json", [["a", "failed"]]);
    run("one.again.json", [["a", "failed"]]);
    expect(lines()).toEqual(["0 passed in the run one", "0 passed, 1 failed"]);
  });

  test("of a file that is in two projects counts for both, and one failure is enough", () => {
    const write = (file: string, ...statuses: string[]) =>
      writeFileSync(
        join(folder, file),
        JSON.stringify({
          testResults: statuses.map((status) => ({
            name: "a.test.ts",
            assertionResults: [{ fullName: "a", status }],
          })),
        }),
      );
    write("one.json", "failed", "passed");
    write("one.again.json", "failed", "passed");
    expect(lines().at(-1)).toBe("1 passed, 1 failed");
    write("one.again.json", "passed", "passed");
    expect(lines()).toEqual([
      "unstable (failed, then passed alone): one: a",
      "2 passed in the run one",
      "2 passed, 0 failed",
    ]);
  });

  test("that cannot load its file is a failure", () => {
    run("one.json", [["a", "passed"]]);
    run("one.again.json", [], { numRuntimeErrorTestSuites: 1 });
    expect(lines().at(-1)).toBe("0 passed, 1 failed");
  });

  const wanted = (testResults: readonly object[], more: object = {}) => {
    writeFileSync(join(folder, "one.json"), JSON.stringify({ testResults, ...more }));
    const args = [join(__dirname, "failed-files.mjs"), join(folder, "one.json")];
    return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
  };
  const failed = (name: string) => ({ name, status: "failed" });

  test("is for those with failures", () => {
    expect(wanted([failed("/a"), { name: "/b", status: "passed" }, failed("/c")])).toBe("/a\n/c\n");
  });

  test("is not for many, and not for what cannot be loaded", () => {
    expect(wanted(["/a", "/b", "/c", "/d"].map(failed))).toBe("");
    expect(wanted([failed("/a")], { numRuntimeErrorTestSuites: 1 })).toBe("");
  });
});

test("without any result nothing has passed", () => {
  expect(lines("1")).toEqual(["0 passed, 1 failed"]);
});
