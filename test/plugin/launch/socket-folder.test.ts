import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { freshFolder, removeFolder } from "../../../lib/plugin/launch/fresh-folder";
import { freshSocketPlace, socketProblem } from "../../../lib/plugin/launch/socket-folder";
import { useScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";

const scratch = useScratch();

const fresh = (env: Record<string, string>) => freshSocketPlace({ env, platform: "linux" });

test("a fresh folder lies in TMPDIR, and only its owner can enter it", () => {
  const place = fresh({ TMPDIR: scratch.tmp });
  expect(path.dirname(path.dirname(place.socket))).toBe(scratch.tmp);
  expect(statSync(path.dirname(place.socket)).mode & 0o777).toBe(0o700);
  place.remove();
  place.remove();
  expect(scratch.leftovers()).toEqual([]);
});

const parentOf = (env: Record<string, string>) => path.dirname(path.dirname(fresh(env).socket));

test.each([
  ["too long", "x".repeat(120)],
  ["too long in bytes, not in characters", "ü".repeat(45)],
  ["not fit for a field of the handshake", "a|b"],
  ["of two lines", "a\nb"],
])("a TMPDIR that is %s, or does not exist, is passed over for a shorter folder", (_, name) => {
  const unfit = path.join(scratch.tmp, name);
  const runtime = path.join(scratch.folder, "r");
  mkdirSync(runtime);
  expect(parentOf({ TMPDIR: unfit, XDG_RUNTIME_DIR: runtime })).toBe(runtime);
  mkdirSync(unfit);
  expect(parentOf({ TMPDIR: unfit, XDG_RUNTIME_DIR: runtime })).toBe(runtime);
});

test("passes over a TMPDIR where another user could replace our socket: by itself, by a folder above it, or by one that a link leads through", () => {
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
    const parents = [shared, below, link].map((TMPDIR) =>
      parentOf({ TMPDIR, XDG_RUNTIME_DIR: own }),
    );
    expect(parents).toEqual(safe ? [shared, below, below] : [own, own, own]);
  }
});

testIf(process.getuid?.() === 0, "only root can make another user's folder")(
  "never uses another user's TMPDIR, whatever its mode",
  () => {
    const [theirs = "", own = ""] = ["theirs", "own"].map((name) => path.join(scratch.tmp, name));
    mkdirSync(theirs);
    mkdirSync(own);
    chownSync(theirs, 12_345, 12_345);
    for (const mode of [0o700, 0o755, 0o1777]) {
      chmodSync(theirs, mode);
      expect(parentOf({ TMPDIR: theirs, XDG_RUNTIME_DIR: own })).toBe(own);
    }
    expect(readdirSync(theirs)).toEqual([]);
  },
);

test("without a suitable folder, the error names each and its problem", () => {
  const file = path.join(scratch.tmp, "file");
  writeFileSync(file, "");
  const use = () => {
    throw Object.assign(new Error(), { code: "ENOSPC" });
  };
  const env = { TMPDIR: file, XDG_RUNTIME_DIR: path.join(scratch.tmp, "none") };
  expect(() => freshFolder({ env, platform: "linux", prefix: "x-", use })).toThrow(
    `"${file}" (ENOTDIR), "${env.XDG_RUNTIME_DIR}" (ENOENT), "/tmp" (ENOSPC), "/var/tmp" (ENOSPC)`,
  );
});

test("removes its own files by name: others, and those behind a link, stay", () => {
  const kept = path.join(scratch.home, "s");
  writeFileSync(kept, "");
  const { socket, remove } = fresh({ TMPDIR: scratch.tmp });
  const folder = path.dirname(socket);
  writeFileSync(path.join(folder, "other"), "");
  writeFileSync(socket, "");
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
