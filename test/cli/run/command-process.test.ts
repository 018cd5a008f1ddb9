import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import tty, { isatty } from "node:tty";
import { startCommand } from "../../../lib/cli/run/command-process";
import { useScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";

const scratch = useScratch();

testIf(!isatty(1) && !isatty(2), "there is a terminal")(
  "a command that ignores SIGHUP needs no nohup, which macOS's own refuses without a console",
  async () => {
    const { folder } = scratch;
    const refuses =
      '#!/bin/sh\necho "nohup: can\'t detach from console: Inappropriate ioctl" >&2; exit 127\n';
    writeFileSync(join(folder, "nohup"), refuses, { mode: 0o755 });
    // Without an interpreter in its first line.
    writeFileSync(join(folder, "command"), 'kill -HUP $$; echo "$1" >ran; exit 5\n', {
      mode: 0o755,
    });
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { ended } = startCommand(["command", "a word"], env, folder);
    expect(await ended).toEqual({ exitCode: 5 });
    expect(existsSync(join(folder, "ran"))).toBe(true);
    // One for messages alone is a terminal.
    jest.spyOn(tty, "isatty").mockImplementation((descriptor) => descriptor === 2);
    expect(await startCommand(["command"], env, folder).ended).toEqual({ exitCode: 129 });
  },
);

test("a command that cannot be started is an error of this command", async () => {
  expect(await startCommand(["a\0b"], {}, scratch.folder).ended).toMatchObject({
    exitCode: 127,
    error: { code: "ERR_COMMAND_NOT_RUN" },
  });
});
