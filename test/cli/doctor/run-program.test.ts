import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runProgram } from "../../../lib/cli/doctor/run-program";
import { onPlatform } from "../../support/platform";
import { stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

const run = (file: string, args: readonly string[], timeoutMs = 50_000) =>
  runProgram(file, args, { cwd: scratch.folder, env: scratch.env, timeoutMs });

test("a program has its output and exit code, and no input", async () => {
  expect(await run("sh", ["-c", "read line || echo out; echo err >&2; exit 3"])).toEqual({
    succeeded: false,
    how: "exit code 3",
    stdout: "out\n",
    stderr: "err\n",
  });
  expect(await run("true", [])).toMatchObject({ succeeded: true });
  expect(await run("no-such-program", [])).toBeUndefined();
  expect(await run(scratch.folder, [])).toMatchObject({ succeeded: false, how: "EACCES" });
  expect(process.listenerCount("exit")).toBe(0);
});

test.each([
  ["with its children", () => run("sh", ["-c", "sleep 600 & sleep 600"], 200)],
  ["on Windows", () => onPlatform("win32", () => run("/bin/sleep", ["600"], 200))],
  ["although it prints without end", () => run("yes", [], 200)],
])("one that does not end is killed in time: %s", async (_, started) => {
  expect(await started()).toMatchObject({ succeeded: false, how: "no end within 0.2 s" });
  expect(await stillRunning(scratch.marker)).toEqual([]);
});

describe("on Windows a program is searched", () => {
  const put = (path: string, what: string): void => {
    mkdirSync(dirname(join(scratch.folder, path)), { recursive: true });
    writeFileSync(join(scratch.folder, path), `#!/bin/sh\necho ${what}\n`, { mode: 0o755 });
  };
  beforeEach(() => {
    put("node.exe", "of the project");
    put("first/node.exe/file", "of a folder");
    put("second/node.exe", "of PATH");
    put("third/node.exe", "of a later folder");
    put("third/tofu.com", "com");
  });

  test.each<[path: string, file: string, printed: string | undefined]>([
    ["HERE/first;HERE/second;HERE/third", "node", "of PATH"],
    ['.;second;C:;C:.;;"HERE/second"', "node", "of PATH"],
    ["HERE/second", "node.exe", "of PATH"],
    ["HERE/second;HERE/third", "tofu", "com"],
    ["", "./node.exe", "of the project"],
    ["", "node", undefined],
    [".;C:;C:second", "node", undefined],
    ["HERE/first", "node", undefined],
  ])("with the PATH %j: %s", async (path, file, printed) => {
    const env = { Path: path.replaceAll("HERE", scratch.folder) };
    const options = { cwd: scratch.folder, env, timeoutMs: 10_000 };
    const outcome = await onPlatform("win32", () => runProgram(file, [], options));
    expect(outcome?.stdout).toBe(printed && `${printed}\n`);
  });
});
