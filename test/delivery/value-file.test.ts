import { execFileSync, spawn } from "node:child_process";
import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  deliverValues,
  readValueFile,
  sweepValues,
  TEMPORARY_FILE,
  tryValueFile,
  VALUE_FILE,
} from "../../lib/delivery/value-file";
import { temporaryFolder } from "../support/temporary-folder";

const ONE = { web_token: "canary-one" };
const TWO = { web_token: "canary-two" };

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, VALUE_FILE);
});

test("the file of values is a new one each time, readable only for its owner, whatever the umask", () => {
  const before = process.umask(0);
  try {
    expect(deliverValues(folder, ONE)).toBe(true);
    const { ino, mode } = statSync(path);
    chmodSync(path, 0o666);
    deliverValues(folder, TWO);
    expect(mode & 0o777).toBe(0o600);
    expect(statSync(path)).toMatchObject({ mode });
    expect(statSync(path).ino).not.toBe(ino);
  } finally {
    process.umask(before);
  }
  expect(readValueFile(folder)).toEqual(TWO);
  expect(readdirSync(folder).sort()).toEqual([".gitignore", VALUE_FILE]);
});

test("the file of values is removed with what is next to it, and not missed", () => {
  deliverValues(folder, ONE);
  for (const _ of [1, 2]) expect(deliverValues(folder, undefined)).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
  deliverValues(join(folder, "not-there"), undefined);
  expect(readValueFile(join(folder, "not-there"))).toBeUndefined();
});

test.each<[string, string | ((path: string) => void)]>([
  ["a file without our note", '{"web_token": "mine"}'],
  ["a list", "[]"],
  [
    "a huge file",
    (path) => {
      deliverValues(folder, ONE);
      truncateSync(path, 65 * 1024 * 1024);
    },
  ],
  ["a folder", mkdirSync],
  ["a link to nowhere", (path) => symlinkSync("nowhere", path)],
  // It would be read with another's rights.
  [
    "a link to one of ours",
    (path) => {
      const other = temporaryFolder();
      deliverValues(other, ONE);
      symlinkSync(join(other, VALUE_FILE), path);
    },
  ],
])("the file of values is refused where there is %s, which stays", (_, make) => {
  if (typeof make === "function") make(path);
  else writeFileSync(path, make);
  const { ino, size, mtimeMs } = lstatSync(path);
  expect(() => tryValueFile(folder)).toThrow(/json exists, and .*\[ERR_FILE_NOT_OURS\]/);
  expect(() => deliverValues(folder, TWO)).toThrow("ERR_FILE_NOT_OURS");
  deliverValues(folder, undefined);
  expect(lstatSync(path)).toMatchObject({ ino, size, mtimeMs });
});

test("the file of values is tried before a request; nothing but the folder is left", () => {
  tryValueFile(join(folder, "stacks/a"));
  expect(readdirSync(join(folder, "stacks/a"))).toEqual([]);
  writeFileSync(join(folder, "file"), "");
  // By writing: its rights let root write, but the file system lets nobody.
  for (const no of [join(folder, "file"), "/proc"])
    expect(() => tryValueFile(no)).toThrow(/cannot be written: .*\[ERR_WRITE_FAILED\]/);
});

test("the file of values of a killed synthesis, half written, is removed: with the file, without, and by a new one", () => {
  for (const values of [undefined, ONE, ONE, undefined]) {
    writeFileSync(join(folder, TEMPORARY_FILE), '{"web_token": "canary');
    deliverValues(folder, values);
    expect(readdirSync(folder)).not.toContain(TEMPORARY_FILE);
  }
});

test("the file of values is written again if another synthesis takes its first form for one of a killed synthesis", () => {
  const { renameSync: rename } = fs;
  const renames = jest.spyOn(fs, "renameSync").mockImplementationOnce((from, to) => {
    deliverValues(folder, TWO);
    rename(from, to);
  });
  expect(deliverValues(folder, ONE)).toBe(true);
  expect(renames).toHaveBeenCalledTimes(3);
  expect(readValueFile(folder)).toEqual(ONE);
  expect(readdirSync(folder).sort()).toEqual([".gitignore", VALUE_FILE]);
});

test("values of other stacks are removed, and not those in another case, for disks that ignore it", () => {
  const stacks = temporaryFolder();
  for (const name of ["other", "Web"]) deliverValues(join(stacks, name), ONE);
  writeFileSync(join(stacks, "file"), "");
  sweepValues(stacks, ["web", "not-there"]);
  const left = readdirSync(stacks).filter((name) => existsSync(join(stacks, name, VALUE_FILE)));
  expect(left).toEqual(["Web"]);
  sweepValues(join(stacks, "not-there"), []);
});

test.each([
  ["*\n", true],
  ["# comment\r\n*.auto.tfvars.json\r\n", true],
  ["*\n!.gitignore\n", true],
  [" \t/iam-tokens.auto.tfvars.json \n", true],
  ["*.tfvars.json\n", true],
  ["iam-tokens.auto.tfvars.json", true],
  ["other*\n", false],
])("a .gitignore of the user's %j stays, and ignores the file: %s", (content, ignored) => {
  const gitIgnore = join(folder, ".gitignore");
  writeFileSync(gitIgnore, content);
  expect(deliverValues(folder, ONE)).toBe(ignored);
  deliverValues(folder, undefined);
  expect(readFileSync(gitIgnore, "utf8")).toBe(content);
});

test("a .gitignore of the user's that is a FIFO is not waited for", () => {
  const gitIgnore = join(folder, ".gitignore");
  execFileSync("mkfifo", [gitIgnore]);
  const writer = spawn("/bin/sh", ["-c", 'echo "*" >"$0"', gitIgnore], { stdio: "ignore" });
  expect(deliverValues(folder, ONE)).toBe(false);
  writer.kill();
});
