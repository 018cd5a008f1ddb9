import { startCommand } from "./command";
import { canListProcesses, markedProcesses, stillRunning } from "./processes";
import { makeScratch } from "./scratch";
import { testIf } from "./skips";

testIf(canListProcesses(), "no /proc")(
  "a process that outlives its parent is found by its mark, and then seen to be gone",
  async () => {
    const scratch = makeScratch();
    try {
      const orphan = "setInterval(() => {}, 1000)";
      const parent = `const child = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(orphan)}],
      { detached: true, stdio: "ignore" }); child.unref(); console.log(child.pid);`;
      const { stdout } = await startCommand(process.execPath, ["-e", parent], {
        cwd: scratch.folder,
        env: scratch.env,
      }).finished;
      const pid = Number(stdout);
      expect(markedProcesses(scratch.marker)).toEqual([
        { pid, command: expect.stringContaining("setInterval") },
      ]);
      expect(await stillRunning(scratch.marker, 50)).toHaveLength(1);
      process.kill(pid, "SIGKILL");
      expect(await stillRunning(scratch.marker)).toEqual([]);
    } finally {
      scratch.remove();
    }
  },
);

test("processes of another mark are not found", () => {
  expect(markedProcesses({ name: "IAM_TOKENS_TEST_MARK", value: "of nobody" })).toEqual([]);
});
