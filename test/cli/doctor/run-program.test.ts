import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

// The rules of the search: test/provider/secrets/secret-reader.test.ts.
test("on Windows a program is searched in Path, and not in the folder of the project", async () => {
  mkdirSync(join(scratch.folder, "programs"));
  for (const name of ["node.exe", "programs/node.exe"])
    writeFileSync(join(scratch.folder, name), '#!/bin/sh\necho "$0"\n', { mode: 0o755 });
  const env = { Path: `.;${scratch.folder}/programs` };
  const options = { cwd: scratch.folder, env, timeoutMs: 10_000 };
  const outcome = await onPlatform("win32", () => runProgram("node", [], options));
  expect(outcome?.stdout).toMatch(/programs.node\.exe\n$/);
});
