/**
 * The Terraform process as a server sees it: here a shell that starts `sleep` in the place of a
 * launcher, with its slot open.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import { parseProcessStat, readProcessStat } from "../../../lib/plugin/handover/proc";
import {
  parseHandoverRequest,
  SLOT_DESCRIPTOR,
  TerraformProcess,
} from "../../../lib/plugin/handover/terraform-process";
import { makeScratch, type Scratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";

test("the launcher's arguments request a hand-over", () => {
  const request = { folder: "/tmp/x-1-2", terraform: 1, startTime: "2", launcher: 3 };
  expect(parseHandoverRequest(["handover", "/tmp/x-1-2", "1", "2", "3"])).toEqual(request);
});

test.each([
  [[]],
  [["other", "/tmp/x", "1", "2", "3"]],
  [["handover", "relative", "1", "2", "3"]],
  [["handover", "/tmp/x", "0", "2", "3"]],
  [["handover", "/tmp/x", "1", "", "3"]],
  [["handover", "/tmp/x", "1", "2"]],
  // As a number it is another one.
  [["handover", "/tmp/x", "1", "0", "312184824489738751"]],
])("%j do not: the server then serves its own launch", (args) => {
  expect(parseHandoverRequest(args)).toBeUndefined();
});

/** The fields after the name: state, parent, 17 others, start time, the rest. */
test.each([
  ["terraform", "S", { parent: 7, startTime: "98765" }],
  ["x) S 1 (y", "S", { parent: 7, startTime: "98765" }],
  ["a\nb", "R", { parent: 7, startTime: "98765" }],
  // It only waits to be collected.
  ["terraform", "Z", undefined],
  ["terraform", "X", undefined],
  ["terraform", "x", undefined],
  ["terraform", "", undefined],
])("a process %j in the state %s is %j", (name, state, found) => {
  const text = `41 (${name}) ${state} 7 ${"0 ".repeat(17)}98765 1 2 3\n`;
  expect(parseProcessStat(text)).toEqual(found);
  expect(parseProcessStat(text.slice(0, 40))).toBeUndefined();
});

describeIf(process.platform === "linux", "the hand-over is for Linux only")(
  "a Terraform process",
  () => {
    const PROGRAM = "/somewhere/main.cjs";
    let scratch: Scratch;
    let shell: ChildProcess;
    let lines: AsyncIterator<string>;
    let reader: Interface;
    let slot: number;
    let pid: number;
    let launcher: number;

    beforeEach(async () => {
      scratch = makeScratch();
      const file = path.join(scratch.folder, "slot");
      writeFileSync(file, "");
      slot = openSync(file, "r");
      const script = `sleep 60 ${SLOT_DESCRIPTOR}<'${file}' & echo $!; while read -r folder; do cd "$folder"; echo done; done; kill $!`;
      shell = spawn("/bin/sh", ["-c", script], {
        cwd: process.cwd(),
        stdio: ["pipe", "pipe", "inherit"],
      });
      pid = shell.pid ?? -1;
      reader = createInterface({ input: shell.stdout as NodeJS.ReadableStream });
      lines = reader[Symbol.asyncIterator]();
      launcher = Number((await lines.next()).value);
      // Until then it is a copy of the shell, which has not opened anything.
      while (!isSleep(launcher)) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    afterEach(async () => {
      reader.close();
      shell.stdin?.end();
      if (shell.exitCode === null) await once(shell, "exit");
      closeSync(slot);
      scratch.remove();
    });

    const isSleep = (id: number) =>
      realpathSync(`/proc/${id}/exe`) !== realpathSync(`/proc/${pid}/exe`);
    const startTime = () => readProcessStat(pid)?.startTime ?? "";
    const seen = (start = startTime(), first = launcher) =>
      TerraformProcess.of(
        { folder: "/x", terraform: pid, startTime: start, launcher: first },
        PROGRAM,
      );
    const claim = () => ({ launcher, program: PROGRAM, certificate: new Uint8Array(0) });

    test("is running, and launches a child that holds the slot", () => {
      expect(seen()?.isThere()).toBe(true);
      expect(seen()?.launches(claim(), slot)).toBe(true);
      expect(seen()?.launches({ ...claim(), launcher: process.pid }, slot)).toBe(false);
    });

    test("is recognized as another one by its start time when its id is used again", () => {
      expect(seen(String(Number(startTime()) - 1))).toBeUndefined();
    });

    test("is not recognized by a server whose launcher is not its child", () => {
      expect(seen(startTime(), pid)).toBeUndefined();
    });

    test("launches nothing more for this server after it has changed its folder", async () => {
      const terraform = seen();
      shell.stdin?.write("/\n");
      await lines.next();
      expect(terraform?.launches(claim(), slot)).toBe(false);
      expect(seen()).toBeUndefined();
    });

    test("this process has its parent, and always the same start time", () => {
      const first = readProcessStat(process.pid);
      expect(first?.parent).toBe(process.ppid);
      expect(readProcessStat(process.pid)).toEqual(first);
    });

    test("a process that has ended is none", async () => {
      const child = spawn("true");
      await once(child, "exit");
      expect(readProcessStat(child.pid ?? -1)).toBeUndefined();
    });
  },
);
