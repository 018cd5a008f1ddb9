import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { parseProcessStat, readProcessStat } from "../../../lib/plugin/handover/proc";
import { anyCharacter, fuzz } from "../../support/fuzz";
import { testIf } from "../../support/skips";

const withProc = testIf(process.platform === "linux", "there is no /proc here");

/** The fields after the name: state, parent, 17 others, start time, the rest. */
const text = (name: string, state = "S") =>
  `41 (${name}) ${state} 7 ${"0 ".repeat(17)}98765 1 2 3\n`;

test.each(["Z", "X", "x"])(
  "a process that only waits to be collected (%s) counts as ended",
  (state) => {
    expect(parseProcessStat(text("terraform", state))).toBeUndefined();
  },
);

test.each(["", "no brackets"])("%p is not a process", (stat) => {
  expect(parseProcessStat(stat)).toBeUndefined();
});

test("whatever the program is called, and whatever the file contains, a process is what its fields say", () => {
  const word = fc.oneof(
    fc.nat().map(String),
    fc.constantFrom("S", "Z", ")", "(", "", "-1", "x\ny"),
  );
  const called = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(word, { maxLength: 4 }).map((words) => words.join(" ")),
  );
  const number = fc.nat().map(String);
  const fields = fc.oneof(
    fc.array(word, { maxLength: 30 }),
    fc
      .tuple(fc.constantFrom("S", "R", "Z"), fc.array(number, { minLength: 19, maxLength: 22 }))
      .map(([state, numbers]) => [state, ...numbers]),
  );
  fc.assert(
    fc.property(called, fields, (name, rest) => {
      const given = rest.map((field) => field.replaceAll(")", ""));
      const [state = "", parent = "", startTime = ""] = [given[0], given[1], given[19]];
      const isLive = state !== "" && !/[Zx]/.test(state) && /^\d+$/.test(parent);
      expect(parseProcessStat(`41 (${name}) ${given.join(" ")}`)).toEqual(
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
