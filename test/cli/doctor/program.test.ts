import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runProgram } from "../../../lib/cli/doctor/program";
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

test("a program has its output and exit code", async () => {
  expect(await run("sh", ["-c", "echo out; echo err >&2; exit 3"])).toEqual({
    kind: "ended",
    exitCode: 3,
    stdout: "out\n",
    stderr: "err\n",
  });
});

test("it gets no input", async () => {
  expect(await run("sh", ["-c", "read line || echo nobody"])).toMatchObject({ stdout: "nobody\n" });
});

test("kills one that hangs in time, with its child processes", async () => {
  expect(await run("sh", ["-c", "sleep 600 & sleep 600"], 200)).toEqual({ kind: "too late" });
  expect(await stillRunning(scratch.marker)).toEqual([]);
});

test("one that hangs on Windows is ended in time", async () => {
  expect(await onPlatform("win32", () => run("/bin/sleep", ["600"], 200))).toEqual({
    kind: "too late",
  });
  expect(await stillRunning(scratch.marker)).toEqual([]);
});

test("one that prints without end is ended", async () => {
  expect(await run("sh", ["-c", "yes"])).toEqual({ kind: "too late" });
  expect(await stillRunning(scratch.marker)).toEqual([]);
});

test("a missing program and a file that is not a program have different results", async () => {
  expect(await run("no-such-program", [])).toEqual({ kind: "missing" });
  expect(await run(scratch.folder, [])).toEqual({ kind: "not started", code: "EACCES" });
});

describe("on Windows a program is searched", () => {
  const put = (path: string, what: string): void => {
    mkdirSync(dirname(join(scratch.folder, path)), { recursive: true });
    writeFileSync(join(scratch.folder, path), `#!/bin/sh\necho ${what}\n`, { mode: 0o755 });
  };
  const started = (file: string, path: string) =>
    onPlatform("win32", () =>
      runProgram(file, [], {
        cwd: scratch.folder,
        env: { Path: path.replaceAll("HERE", scratch.folder) },
        timeoutMs: 10_000,
      }),
    );
  beforeEach(() => {
    put("node.exe", "of the project");
    put("first/node.exe/file", "of a folder");
    put("second/node.exe", "of PATH");
    put("third/node.exe", "of a later folder");
    put("third/tofu.com", "com");
  });

  test.each<[path: string, file: string, printed: string]>([
    ["HERE/first;HERE/second;HERE/third", "node", "of PATH"],
    ['.;second;C:;C:.;;"HERE/second"', "node", "of PATH"],
    ["HERE/second", "node.exe", "of PATH"],
    ["HERE/second;HERE/third", "tofu", "com"],
    ["", "./node.exe", "of the project"],
  ])("with the PATH %s: %s", async (path, file, printed) => {
    expect(await started(file, path)).toMatchObject({ kind: "ended", stdout: `${printed}\n` });
  });

  test.each(["", ".", "C:", "C:second", "HERE/first"])(
    "and not in the working folder, with the PATH %j",
    async (path) => {
      expect(await started("node", path)).toEqual({ kind: "missing" });
    },
  );
});

test("leaves no listener of a signal", async () => {
  const count = () => process.listenerCount("SIGINT");
  const before = count();
  await run("true", []);
  await run("no-such-program", []);
  expect(count()).toBe(before);
});
