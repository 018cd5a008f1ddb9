import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { PluginStartError } from "../../../lib/plugin/faults";
import { parseProcessStat, readProcessStat } from "../../../lib/plugin/handover/proc";
import {
  findTerraform,
  parseHandoverRequest,
} from "../../../lib/plugin/handover/terraform-process";
import { pidOf } from "../../support/processes";
import { describeIf } from "../../support/skips";

test("the launcher's arguments request a hand-over", () => {
  const request = { folder: "/tmp/x-1-2", terraform: 1, startTime: "2", launcher: 3 };
  expect(parseHandoverRequest(["handover", "/tmp/x-1-2", "1", "2", "3"])).toEqual(request);
});

test("without them, the server serves its own launch", () => {
  expect(parseHandoverRequest([])).toBeUndefined();
});

/** The fields after the name: state, parent, 17 others, start time, the rest. */
test.each([
  ["terraform", "S", true],
  ["x) S 1 (y", "S", true],
  ["a\nb", "R", true],
  // It only waits to be collected.
  ["terraform", "Z", false],
  ["terraform", "X", false],
  ["terraform", "x", false],
  ["terraform", "", false],
])("whether a process %j in the state %j lives: %j", (name, state, lives) => {
  const found = lives ? { parent: 7, startTime: "98765" } : undefined;
  const text = `41 (${name}) ${state} 7 ${"0 ".repeat(17)}98765 1 2 3\n`;
  expect(parseProcessStat(text)).toEqual(found);
  expect(parseProcessStat(text.slice(0, 40))).toBeUndefined();
});

/** Here this process, with `sleep` in the place of a launcher that has its slot open. */
describeIf(process.platform === "linux", "the hand-over is for Linux only")(
  "a Terraform process",
  () => {
    const PROGRAM = "/somewhere/main.cjs";
    const startTime = readProcessStat(process.pid)?.startTime ?? "";
    let slot: number;
    let child: ChildProcess;
    let launcher: number;

    beforeAll(() => {
      slot = openSync("/proc", "r");
      child = spawn("sleep", ["60"], { stdio: ["ignore", "ignore", "ignore", "ignore", slot] });
      launcher = pidOf(child);
    });
    afterAll(async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      closeSync(slot);
      expect(readProcessStat(launcher)).toBeUndefined();
    });

    const seen = (start = startTime, first = launcher) =>
      findTerraform(
        { folder: "/x", terraform: process.pid, startTime: start, launcher: first },
        PROGRAM,
      );
    const claim = () => ({ launcher, program: PROGRAM, certificate: "" });

    test("is running, and launches a child that holds the slot", () => {
      expect(seen().isThere()).toBe(true);
      expect(seen().launches(claim(), slot)).toBe(true);
      expect(seen().launches({ ...claim(), launcher: process.pid }, slot)).toBe(false);
      // The first has the same number, on another device.
      for (const path of ["/sys", "/proc/version"]) {
        const other = openSync(path, "r");
        expect(seen().launches(claim(), other)).toBe(false);
        closeSync(other);
      }
    });

    test("is another one by its start time when its id is used again, and none if the launcher is not its child", () => {
      for (const other of [
        () => seen(String(Number(startTime) - 1)),
        () => seen(startTime, process.pid),
      ])
        expect(other).toThrow(PluginStartError);
    });

    test("launches nothing more for this server after it has changed its folder", () => {
      const folder = process.cwd();
      const terraform = seen();
      try {
        process.chdir("/");
        expect(terraform.launches(claim(), slot)).toBe(false);
      } finally {
        process.chdir(folder);
      }
      expect(terraform.launches(claim(), slot)).toBe(true);
    });
  },
);
