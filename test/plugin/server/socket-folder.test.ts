import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  freshSocketPlace,
  givenSocketPlace,
  maxSocketPathBytes,
} from "../../../lib/plugin/server/socket-folder";
import { PluginStartError } from "../../../lib/plugin/server/start-error";
import { makeScratch, type Scratch } from "../../support/scratch";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

const fresh = (env: Record<string, string>) => freshSocketPlace({ env, platform: "linux" });

test("a fresh folder lies in TMPDIR, and only its owner can enter it", () => {
  const place = fresh({ TMPDIR: scratch.tmp });
  expect(path.dirname(path.dirname(place.socket))).toBe(scratch.tmp);
  expect(statSync(path.dirname(place.socket)).mode & 0o777).toBe(0o700);
  place.remove();
  place.remove();
  expect(scratch.leftovers()).toEqual([]);
});

test("two fresh folders are two", () => {
  const places = [fresh({ TMPDIR: scratch.tmp }), fresh({ TMPDIR: scratch.tmp })];
  expect(new Set(places.map(({ socket }) => socket)).size).toBe(2);
});

test.each([
  ["too long", (parent: string) => path.join(parent, "x".repeat(120))],
  ["too long in bytes, not in characters", (parent: string) => path.join(parent, "ü".repeat(45))],
  ["with a bar, which ends a field of the handshake", (parent: string) => path.join(parent, "a|b")],
  ["with a line break", (parent: string) => path.join(parent, "a\nb")],
])("a TMPDIR that is %s is passed over for a shorter folder", (_, name) => {
  const unfit = name(scratch.tmp);
  mkdirSync(unfit);
  const runtime = path.join(scratch.folder, "r");
  mkdirSync(runtime);
  const { socket } = fresh({ TMPDIR: unfit, XDG_RUNTIME_DIR: runtime });
  expect(socket.startsWith(runtime)).toBe(true);
});

test("a TMPDIR that is not there is passed over too", () => {
  const { socket } = fresh({
    TMPDIR: path.join(scratch.tmp, "none"),
    XDG_RUNTIME_DIR: scratch.tmp,
  });
  expect(socket.startsWith(scratch.tmp)).toBe(true);
});

test("without TLS a TMPDIR where another user could put a socket in the place of ours is passed over", () => {
  const [shared, own] = ["shared", "own"].map((name) => path.join(scratch.tmp, name));
  mkdirSync(shared ?? "");
  mkdirSync(own ?? "", { mode: 0o700 });
  const surroundings = {
    env: { TMPDIR: shared ?? "", XDG_RUNTIME_DIR: own ?? "" },
    platform: "linux",
  } as const;
  const parentOf = (withoutTls: boolean) =>
    path.dirname(path.dirname(freshSocketPlace({ ...surroundings, withoutTls }).socket));
  for (const [mode, expected] of [
    [0o777, own],
    [0o770, own],
    [0o1777, shared],
    [0o755, shared],
  ] as const) {
    chmodSync(shared ?? "", mode);
    expect(parentOf(true)).toBe(expected);
    expect(parentOf(false)).toBe(shared);
  }
});

test("without TLS that is so for the folders above it too, and for those that a link leads through", () => {
  const [shared, own] = ["shared", "own"].map((name) => path.join(scratch.tmp, name)) as [
    string,
    string,
  ];
  const below = path.join(shared, "below", "it");
  const link = path.join(own, "link");
  mkdirSync(own, { mode: 0o700 });
  mkdirSync(below, { mode: 0o700, recursive: true });
  symlinkSync(below, link);
  const parentOf = (folder: string) => {
    const env = { TMPDIR: folder, XDG_RUNTIME_DIR: own };
    return path.dirname(
      path.dirname(freshSocketPlace({ env, platform: "linux", withoutTls: true }).socket),
    );
  };
  for (const [mode, expected] of [
    [0o777, own],
    [0o1777, below],
    [0o755, below],
  ] as const) {
    chmodSync(shared, mode);
    expect([parentOf(below), parentOf(link)]).toEqual([expected, expected]);
  }
});

test("macOS has four bytes less than Linux", () => {
  expect([maxSocketPathBytes("linux"), maxSocketPathBytes("darwin")]).toEqual([107, 103]);
  const parent = path.join(
    scratch.tmp,
    "x".repeat(105 - scratch.tmp.length - "//tfp-XXXXXX/s".length),
  );
  mkdirSync(parent);
  const env = { TMPDIR: parent, XDG_RUNTIME_DIR: scratch.tmp };
  const linux = freshSocketPlace({ env, platform: "linux" });
  expect(linux.socket).toHaveLength(105);
  expect(path.dirname(path.dirname(freshSocketPlace({ env, platform: "darwin" }).socket))).toBe(
    scratch.tmp,
  );
});

describe("a given folder", () => {
  const given = (folder: string) => givenSocketPlace(folder, "a.sock", "linux");

  test("is made with mode 0700, and removed with what is in it", () => {
    const folder = path.join(scratch.tmp, "new");
    const place = given(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    place.remove();
    expect(existsSync(folder)).toBe(false);
  });

  test("that was there is kept, and only the socket removed", () => {
    const folder = path.join(scratch.tmp, "mine");
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path.join(folder, "other"), "");
    const place = given(folder);
    writeFileSync(place.socket, "");
    place.remove();
    expect(scratch.leftovers()).toEqual(["mine", "mine/other"]);
  });

  test.each([0o755, 0o770, 0o701])("that others can enter (%o) is refused", (mode) => {
    const folder = path.join(scratch.tmp, "open");
    mkdirSync(folder);
    chmodSync(folder, mode);
    expect(() => given(folder)).toThrow(/can be entered by others/);
  });

  test("that is a link, a file, too long or nowhere is refused", () => {
    const folder = path.join(scratch.tmp, "real");
    mkdirSync(folder, { mode: 0o700 });
    const link = path.join(scratch.tmp, "link");
    symlinkSync(folder, link);
    expect(() => given(link)).toThrow(/a link to one is not accepted/);
    const file = path.join(scratch.tmp, "file");
    writeFileSync(file, "");
    expect(() => given(file)).toThrow(PluginStartError);
    expect(() => given(path.join(scratch.tmp, "x".repeat(110)))).toThrow(/at most 107 bytes/);
    expect(() => given(path.join(scratch.tmp, "a", "b"))).toThrow(/cannot be made \(ENOENT\)/);
  });

  test("of another user is refused", () => {
    if (process.getuid?.() === undefined) return;
    const spy = jest.spyOn(process, "getuid").mockReturnValue(4_294_000_000);
    const folder = path.join(scratch.tmp, "theirs");
    mkdirSync(folder, { mode: 0o700 });
    expect(() => given(folder)).toThrow(/belongs to another user/);
    spy.mockRestore();
  });
});
