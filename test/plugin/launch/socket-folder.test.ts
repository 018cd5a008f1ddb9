import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { freshFolder, removeFolder } from "../../../lib/plugin/launch/fresh-folder";
import { hasOtherUsers } from "../../../lib/plugin/launch/other-users";
import { listenInFolder, socketProblem } from "../../../lib/plugin/launch/socket-folder";
import { useScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";

const scratch = useScratch();

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server on a socket in a new folder. */
const fresh = (env: Record<string, string>, mutualTls = true, server = createServer()) => {
  servers.push(server);
  return listenInFolder(server, { env, platform: "linux", mutualTls });
};

test("a fresh folder lies in TMPDIR, and only its owner can enter it", async () => {
  const place = await fresh({ TMPDIR: scratch.tmp });
  expect(path.dirname(path.dirname(place.socket))).toBe(scratch.tmp);
  expect(statSync(path.dirname(place.socket)).mode & 0o777).toBe(0o700);
  place.remove();
  place.remove();
  expect(scratch.leftovers()).toEqual([]);
});

const parentOf = async (env: Record<string, string>) =>
  path.dirname(path.dirname((await fresh(env)).socket));

test.each([
  ["too long", "x".repeat(120)],
  ["too long in bytes, not in characters", "ü".repeat(45)],
  ["not fit for a field of the handshake", "a|b"],
  ["of two lines", "a\nb"],
])(
  "a TMPDIR that is %s, or does not exist, is passed over for a shorter folder",
  async (_, name) => {
    const unfit = path.join(scratch.tmp, name);
    const runtime = path.join(scratch.folder, "r");
    mkdirSync(runtime);
    expect(await parentOf({ TMPDIR: unfit, XDG_RUNTIME_DIR: runtime })).toBe(runtime);
    mkdirSync(unfit);
    expect(await parentOf({ TMPDIR: unfit, XDG_RUNTIME_DIR: runtime })).toBe(runtime);
  },
);

test("passes over a TMPDIR where another user could replace our socket: by itself, by a folder above it, or by one that a link leads through", async () => {
  const [shared = "", own = ""] = ["shared", "own"].map((name) => path.join(scratch.tmp, name));
  const below = path.join(shared, "below", "it");
  const link = path.join(own, "link");
  mkdirSync(own, { mode: 0o700 });
  mkdirSync(below, { mode: 0o700, recursive: true });
  symlinkSync(below, link);
  for (const [mode, safe] of [
    [0o777, false],
    [0o770, false],
    [0o1777, true],
    [0o755, true],
  ] as const) {
    chmodSync(shared, mode);
    const parents = await Promise.all(
      [shared, below, link].map((TMPDIR) => parentOf({ TMPDIR, XDG_RUNTIME_DIR: own })),
    );
    expect(parents).toEqual(safe ? [shared, below, below] : [own, own, own]);
  }
});

testIf(process.getuid?.() === 0, "only root can make another user's folder")(
  "never uses another user's TMPDIR, whatever its mode",
  async () => {
    const [theirs = "", own = ""] = ["theirs", "own"].map((name) => path.join(scratch.tmp, name));
    mkdirSync(theirs);
    mkdirSync(own);
    chownSync(theirs, 12_345, 12_345);
    for (const mode of [0o700, 0o755, 0o1777]) {
      chmodSync(theirs, mode);
      expect(await parentOf({ TMPDIR: theirs, XDG_RUNTIME_DIR: own })).toBe(own);
    }
    expect(readdirSync(theirs)).toEqual([]);
  },
);

test("passes over a file system without sockets, and leaves nothing there", async () => {
  const [without = "", own = ""] = ["without", "own"].map((name) => path.join(scratch.tmp, name));
  mkdirSync(without);
  mkdirSync(own);
  const server = createServer();
  const listen = server.listen.bind(server);
  // What Node.js makes of the kernel's EOPNOTSUPP; no file system here refuses a socket.
  const refuses = Object.assign(new Error(), { code: "ENOTSUP" });
  Object.assign(server, {
    listen: (socket: string) => {
      if (!socket.startsWith(without)) return listen(socket);
      process.nextTick(() => server.emit("error", refuses));
      return server;
    },
  });
  const { socket } = await fresh({ TMPDIR: without, XDG_RUNTIME_DIR: own }, true, server);
  expect(path.dirname(path.dirname(socket))).toBe(own);
  expect(readdirSync(without)).toEqual([]);
});

/** With the folders of this test alone. */
const chosenIn = (folders: readonly string[], isShared?: (folder: string) => boolean) => {
  const [TMPDIR, XDG_RUNTIME_DIR] = folders;
  return freshFolder({
    ...{ env: { TMPDIR, XDG_RUNTIME_DIR }, platform: "linux", prefix: "x-", isShared },
    unfit: (parent) => (folders.includes(parent) ? undefined : "not of this test"),
    use: path.dirname,
  });
};

test("a folder in which everybody may rename files is used if no other is suitable, and nobody else uses it", async () => {
  const [open = "", own = ""] = ["open", "own"].map((name) => path.join(scratch.tmp, name));
  const below = path.join(open, "below");
  mkdirSync(below, { mode: 0o700, recursive: true });
  mkdirSync(own);
  chmodSync(open, 0o777);
  const refused = "other users may rename what is in it";
  expect(await chosenIn([open, own], () => false)).toBe(own);
  for (const folder of [open, below]) {
    const asked: string[] = [];
    const isShared = (each: string) => asked.push(each) === 0;
    expect(await chosenIn([folder], isShared)).toBe(folder);
    expect(asked).toEqual([open]);
    await expect(chosenIn([folder], () => true)).rejects.toThrow(refused);
    await expect(chosenIn([folder])).rejects.toThrow(refused);
  }
});

testIf(process.getuid?.() === 0, "only root can make another user's folder")(
  "one that another user owns is not used, even if nobody else uses the machine",
  async () => {
    const theirs = path.join(scratch.tmp, "theirs");
    mkdirSync(theirs);
    chownSync(theirs, 12_345, 12_345);
    chmodSync(theirs, 0o777);
    await expect(chosenIn([theirs], () => false)).rejects.toThrow("other users may rename");
  },
);

/** Processes as /proc shows them, by the line of their users. */
function procOf(processes: readonly string[], hides = ""): string {
  const proc = path.join(scratch.tmp, "proc");
  mkdirSync(path.join(proc, "self"), { recursive: true });
  writeFileSync(
    path.join(proc, "self/mounts"),
    `tmpfs / tmpfs rw 0 0\nproc /proc proc rw,nosuid${hides} 0 0\n`,
  );
  for (const [index, uids] of processes.entries()) {
    mkdirSync(path.join(proc, `${index + 1}`), { recursive: true });
    writeFileSync(path.join(proc, `${index + 1}/status`), `Name:\tx\nUid:\t${uids}\nGid:\t0\n`);
  }
  return proc;
}
const me = process.getuid?.() ?? 0;
const OURS = [`${me}\t${me}\t${me}\t${me}`, "0\t0\t0\t0"];

test.each<[string, boolean, readonly string[]]>([
  ["only this user's and root's", false, OURS],
  ["one of another user", true, [...OURS, "12345\t12345\t12345\t12345"]],
  ["one that another user has started with root's rights", true, ["12345\t0\t0\t0"]],
  ["one whose users cannot be read", true, [...OURS, "?"]],
  ["none", true, []],
])("whether there are other users, by the processes: %s: %s", (_, others, processes) => {
  const [folder = "", proc] = [path.join(scratch.tmp, "own"), procOf(processes)];
  mkdirSync(folder);
  writeFileSync(path.join(folder, "file"), "");
  expect(hasOtherUsers(folder, proc)).toBe(others);
  expect(hasOtherUsers(path.join(folder, "none"), proc)).toBe(true);
  expect(hasOtherUsers(folder, path.join(proc, "none"))).toBe(true);
  expect(hasOtherUsers(folder, procOf(processes, ",hidepid=invisible"))).toBe(true);
});

testIf(process.getuid?.() === 0, "only root can be another user")(
  "another user's process, and another user's file, are seen",
  async () => {
    const proc = procOf(OURS);
    const folder = path.join(scratch.tmp, "own");
    mkdirSync(folder);
    symlinkSync("/", path.join(folder, "link"));
    expect(hasOtherUsers(folder, proc)).toBe(false);
    lchownSync(path.join(folder, "link"), 12_345, 12_345);
    expect(hasOtherUsers(folder, proc)).toBe(true);
    const other = spawn("sleep", ["60"], { uid: 12_345 });
    try {
      await once(other, "spawn");
      expect(hasOtherUsers(path.dirname(folder))).toBe(true);
    } finally {
      other.kill();
    }
  },
);

test("without a suitable folder, the error names each and its problem", async () => {
  const file = path.join(scratch.tmp, "file");
  writeFileSync(file, "");
  const use = () => {
    throw Object.assign(new Error(), { code: "ENOSPC" });
  };
  const env = { TMPDIR: file, XDG_RUNTIME_DIR: path.join(scratch.tmp, "none") };
  await expect(freshFolder({ env, platform: "linux", prefix: "x-", use })).rejects.toThrow(
    `"${file}" (ENOTDIR), "${env.XDG_RUNTIME_DIR}" (ENOENT), "/tmp" (ENOSPC), "/var/tmp" (ENOSPC), "/dev/shm" (ENOSPC)`,
  );
});

test("removes its own files by name: others, and those behind a link, stay", async () => {
  const kept = path.join(scratch.home, "s");
  writeFileSync(kept, "");
  const { socket, remove } = await fresh({ TMPDIR: scratch.tmp });
  const folder = path.dirname(socket);
  writeFileSync(path.join(folder, "other"), "");
  remove();
  expect(readdirSync(folder)).toEqual(["other"]);
  mkdirSync(path.join(scratch.tmp, "below"));
  removeFolder(path.join(scratch.tmp, "below"), []);
  symlinkSync(scratch.home, path.join(folder, "link"));
  removeFolder(folder, ["link", "other"]);
  expect(scratch.leftovers()).toEqual([]);
  expect(existsSync(kept)).toBe(true);
});

test("macOS has four bytes less than Linux", () => {
  const fits = (length: number, platform: NodeJS.Platform) =>
    socketProblem("x".repeat(length), platform) === undefined;
  expect([fits(107, "linux"), fits(108, "linux")]).toEqual([true, false]);
  expect([fits(103, "darwin"), fits(104, "darwin")]).toEqual([true, false]);
});
