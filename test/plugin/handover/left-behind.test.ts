import { spawnSync } from "node:child_process";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { removeLeftBehind } from "../../../lib/plugin/handover/left-behind";
import { readProcessStat } from "../../../lib/plugin/handover/proc";
import { markFolder } from "../../../lib/plugin/launch/left-behind";
import { testIf } from "../../support/skips";

const onLinux = testIf(process.platform === "linux", "the hand-over is for Linux only");

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(path.join(os.tmpdir(), "behind-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A process id that nobody has: that of a process which has ended. */
const gone = spawnSync("true").pid;

function folder(name: string, mark = true): string {
  const made = path.join(parent, name);
  mkdirSync(made, { mode: 0o700 });
  writeFileSync(path.join(made, "c1"), "");
  if (mark) markFolder(made);
  return made;
}

onLinux("one that was left before anything was in it is removed", async () => {
  mkdirSync(path.join(parent, `iam-${gone}-5`));
  mkdirSync(path.join(parent, `other-${gone}-5`));
  const alive = `iam-${process.pid}-${readProcessStat(process.pid)?.startTime}`;
  mkdirSync(path.join(parent, alive));
  await removeLeftBehind(folder("iam-1-2"));
  expect(readdirSync(parent).sort()).toEqual(["iam-1-2", alive, `other-${gone}-5`].sort());
});

onLinux(
  "what a killed server has left behind is removed by the next one, and nothing else",
  async () => {
    const own = folder("iam-1-2");
    folder(`iam-${gone}-5`);
    folder(`iam-${process.pid}-1`);
    const alive = readProcessStat(process.pid)?.startTime;
    const kept = [
      folder(`iam-${process.pid}-${alive}`),
      folder(`other-${gone}-5`),
      folder(`iam-${gone}`),
      folder(`iam-${gone}-6`, false),
      folder(`iam-${gone}-x`),
    ];
    const another = folder(`iam-${gone}-7`, false);
    symlinkSync("pid:[1]", path.join(another, "ns"));
    const name = jest.spyOn(os, "hostname").mockReturnValue("another-machine");
    const otherMachine = folder(`iam-${gone}-10`);
    name.mockRestore();
    writeFileSync(path.join(parent, `iam-${gone}-8`), "a file");
    const elsewhere = mkdtempSync(path.join(os.tmpdir(), "behind-elsewhere-"));
    markFolder(elsewhere);
    symlinkSync(elsewhere, path.join(parent, `iam-${gone}-9`));
    await removeLeftBehind(own);
    const names = [own, ...kept, another, otherMachine, `iam-${gone}-8`, `iam-${gone}-9`].map(
      (file) => path.basename(file),
    );
    expect(readdirSync(parent).sort()).toEqual(names.sort());
    expect(readdirSync(elsewhere)).toEqual(["ns"]);
    rmSync(elsewhere, { recursive: true });
  },
);

testIf(
  process.platform === "linux" && process.getuid?.() === 0,
  "only root can make another user's folder",
)("another user's is left alone", async () => {
  const own = folder("iam-1-2");
  chownSync(folder(`iam-${gone}-5`), 12_345, 12_345);
  mkdirSync(path.join(parent, `iam-${gone}-6`));
  chownSync(path.join(parent, `iam-${gone}-6`), 12_345, 12_345);
  await removeLeftBehind(own);
  expect(readdirSync(parent)).toHaveLength(3);
  expect(readFileSync(path.join(parent, `iam-${gone}-5`, "c1"), "utf8")).toBe("");
});

onLinux(
  "that of a PID namespace which has ended is removed, by the word of the kernel",
  async () => {
    const own = folder("iam-1-2");
    const [, host = "", boot = ""] = readlinkSync(path.join(own, "ns")).split(" ");
    const marked = (name: string, mark: string): string => {
      const made = folder(name, false);
      symlinkSync(mark, path.join(made, "ns"));
      return made;
    };
    /** A socket at which nobody listens: its server was killed. */
    const desert = (made: string): string => {
      const listen = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
      spawnSync(process.execPath, ["-e", listen, path.join(made, "s")]);
      return made;
    };
    desert(marked(`iam-${gone}-5`, `pid:[1] ${host} ${boot}`));
    desert(marked(`iam-${gone}-6`, `pid:[1] another-container ${boot}`));
    const kept = [
      desert(marked(`iam-${gone}-7`, `pid:[1] ${host} another-kernel`)),
      desert(marked(`iam-${gone}-8`, `pid:[1] ${host}`)),
      // Its server does not listen yet.
      marked(`iam-${gone}-9`, `pid:[1] ${host} ${boot}`),
      marked(`iam-${gone}-10`, `pid:[1] ${host} ${boot}`),
    ];
    const server = createServer().listen(path.join(kept[3] ?? "", "s"));
    await new Promise((resolve) => server.once("listening", resolve));
    await removeLeftBehind(own);
    server.close();
    expect(readdirSync(parent).sort()).toEqual(
      [own, ...kept].map((file) => path.basename(file)).sort(),
    );
  },
);
