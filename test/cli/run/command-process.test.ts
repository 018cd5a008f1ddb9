import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../../../lib/cli/run/command-process";
import { useScratch } from "../../support/scratch";

const scratch = useScratch();

test("a command that ignores SIGHUP needs no nohup, which macOS's own refuses without a console", async () => {
  const { folder } = scratch;
  const refuses =
    '#!/bin/sh\necho "nohup: can\'t detach from console: Inappropriate ioctl" >&2; exit 127\n';
  writeFileSync(join(folder, "nohup"), refuses, { mode: 0o755 });
  // Without an interpreter in its first line.
  writeFileSync(join(folder, "command"), 'kill -HUP $$; echo "$1" >ran; exit 5\n', { mode: 0o755 });
  // As bash sets it for what nohup starts: also where a test has a terminal.
  const env = { PATH: `${folder}:${process.env.PATH}`, _: "/usr/bin/nohup" };
  const { ended } = startCommand(["command", "a word"], env, folder);
  expect(await ended).toEqual({ exitCode: 5 });
  expect(existsSync(join(folder, "ran"))).toBe(true);
});

test("a command that cannot be started is an error of this command", async () => {
  expect(await startCommand(["a\0b"], {}, scratch.folder).ended).toMatchObject({
    exitCode: 127,
    error: { code: "ERR_COMMAND_NOT_RUN" },
  });
});
