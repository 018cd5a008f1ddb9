import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { parseProcessStat, readProcessStat } from "../../../lib/plugin/handover/proc";
import { anyCharacter, fuzz } from "../../support/fuzz";
import { testIf } from "../../support/skips";

const withProc = testIf(process.platform === "linux", "there is no /proc here");

/** The fields after the name: state, parent, 17 others, start time, the rest. */
test.each([
  ["S", { parent: 7, startTime: "98765" }],
  // It only waits to be collected.
  ["Z", undefined],
  ["X", undefined],
  ["x", undefined],
])("a process in the state %s is %j", (state, found) => {
  const text = `41 (terraform) ${state} 7 ${"0 ".repeat(17)}98765 1 2 3\n`;
  expect(parseProcessStat(text)).toEqual(found);
});

test("whatever the program is called, and whatever the file contains, a process is what its fields say", () => {
  const word = fc.oneof(fc.nat().map(String), fc.constantFrom("S", "Z", "(", "", "-1", "x\ny"));
  const called = fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom(")", "(", " ", "1")) });
  const live = fc
    .array(fc.nat().map(String), { minLength: 19, maxLength: 22 })
    .map((numbers) => ["S", ...numbers]);
  fc.assert(
    fc.property(called, fc.oneof(fc.array(word, { maxLength: 30 }), live), (name, fields) => {
      const [state = "", parent = "", startTime = ""] = [fields[0], fields[1], fields[19]];
      const isLive = state !== "" && state !== "Z" && /^\d+$/.test(parent);
      expect(parseProcessStat(`41 (${name}) ${fields.join(" ")}`)).toEqual(
        isLive && /^\d+$/.test(startTime) ? { parent: Number(parent), startTime } : undefined,
      );
    }),
    fuzz(5000),
  );
});

withProc("this process has its parent, and always the same start time", () => {
  const first = readProcessStat(process.pid);
  expect(first?.parent).toBe(process.ppid);
  expect(readProcessStat(process.pid)).toEqual(first);
});

withProc("a process that has ended is none", async () => {
  const child = spawn("true");
  await once(child, "exit");
  expect(readProcessStat(child.pid ?? -1)).toBeUndefined();
});
