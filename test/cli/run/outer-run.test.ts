import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isLeftOver,
  leaveNote,
  mayUse,
  removeLeftOvers,
  type StartedWith,
} from "../../../lib/cli/run/outer-run";

const STARTED: StartedWith = {
  version: "1.2.3",
  env: { OS_PASSWORD: "canary", HOME: "/home/u" },
  workingFolder: "/work",
};

let folder: string;
let socket: string;
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "iam-outer-"));
  socket = join(folder, "s");
  server = createServer((connection) => connection.destroy());
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  leaveNote(socket, STARTED);
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const withEnv = (env: StartedWith["env"]): StartedWith => ({
  ...STARTED,
  env: { ...STARTED.env, ...env },
});

test.each([
  ["the very same", STARTED],
  [
    "what npm and make add",
    withEnv({
      npm_package_name: "x",
      MAKEFLAGS: "",
      PATH: "/x",
      PWD: "/y",
      TF_REATTACH_PROVIDERS: "{}",
    }),
  ],
  ["what the provider is never given", withEnv({ NODE_OPTIONS: "--inspect" })],
])("a provider is used again with %s", async (_what, started) => {
  expect(await mayUse(socket, started)).toBe(true);
});

test.each([
  ["another password", withEnv({ OS_PASSWORD: "other" })],
  ["a variable more", withEnv({ TF_VAR_password: "x" })],
  ["a variable less", withEnv({ HOME: undefined })],
  ["other certificates", withEnv({ NODE_EXTRA_CA_CERTS: "/x.pem" })],
  ["another folder", { ...STARTED, workingFolder: "/other" }],
  ["another version", { ...STARTED, version: "1.2.4" }],
])("it is not used again with %s", async (_what, started) => {
  expect(await mayUse(socket, started)).toBe(false);
});

test("the note contains no secret, and differs each time", () => {
  const first = readFileSync(join(folder, "run.json"), "utf8");
  expect(first).not.toContain("canary");
  rmSync(join(folder, "run.json"));
  leaveNote(socket, STARTED);
  expect(JSON.parse(readFileSync(join(folder, "run.json"), "utf8")).digest).not.toBe(
    JSON.parse(first).digest,
  );
});

test("ignores a note that others could have written, and an invalid one", async () => {
  chmodSync(folder, 0o755);
  expect(await mayUse(socket, STARTED)).toBe(false);
  chmodSync(folder, 0o700);
  for (const text of [
    "",
    "x",
    "null",
    "{}",
    '{"version":"1.2.3","key":1,"digest":2}',
    `"${"x".repeat(5_000)}"`,
  ]) {
    writeFileSync(join(folder, "run.json"), text);
    expect(await mayUse(socket, STARTED)).toBe(false);
  }
  rmSync(join(folder, "run.json"));
  symlinkSync("/dev/zero", join(folder, "run.json"));
  expect(await mayUse(socket, STARTED)).toBe(false);
  expect(await mayUse(join(folder, "none", "s"), STARTED)).toBe(false);
});

test("a full folder costs the note, not the run", async () => {
  rmSync(join(folder, "run.json"), { force: true });
  const full = jest.spyOn(fs, "writeFileSync").mockImplementationOnce(() => {
    throw Object.assign(new Error("canary"), { code: "ENOSPC" });
  });
  leaveNote(socket, STARTED);
  full.mockRestore();
  expect(await mayUse(socket, STARTED)).toBe(false);
});

test("a folder counts as left over if it has a note and nobody listens; any other belongs to someone", async () => {
  expect(await isLeftOver(folder)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isLeftOver(folder)).toBe(true);
  expect(await mayUse(socket, STARTED)).toBe(false);
  // On a network drive, another machine may listen there.
  const name = jest.spyOn(os, "hostname").mockReturnValue("another-machine");
  expect(await isLeftOver(folder)).toBe(false);
  name.mockRestore();
  rmSync(join(folder, "run.json"));
  expect(await isLeftOver(folder)).toBe(false);
  server = createServer();
});

test("removes leftover folders, even if one of them cannot be removed", async () => {
  const left = ["tfp-1", "tfp-2"].map((name) => join(folder, name));
  for (const each of left) {
    mkdirSync(each, { mode: 0o700 });
    leaveNote(join(each, "s"), STARTED);
  }
  const remove = jest.spyOn(fs, "rmdirSync").mockImplementationOnce(() => {
    throw Object.assign(new Error("canary"), { code: "EROFS" });
  });
  await removeLeftOvers(join(folder, "tfp-own", "s"));
  remove.mockRestore();
  expect(left.map((each) => existsSync(each))).toEqual([true, false]);
});
