import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { deliverValues, removeValues } from "../../../lib/delivery/values/deliver-values";
import { ignoreValueFile, unignoreValueFile } from "../../../lib/delivery/values/git-ignore";
import {
  readValueFile,
  removeValueFile,
  VALUE_FILE,
  writeValueFile,
} from "../../../lib/delivery/values/value-file";
import { temporaryFolder } from "../../constructs/support";
import { testIf } from "../../support/skips";

describe("the file of values", () => {
  test("is readable only for its owner, whatever the umask and the earlier file", () => {
    const folder = temporaryFolder();
    const path = join(folder, VALUE_FILE);
    const before = process.umask(0);
    try {
      writeValueFile(folder, { web_token: "one" });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      chmodSync(path, 0o666);
      writeValueFile(folder, { web_token: "two" });
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
    expect(readValueFile(folder)).toEqual({ web_token: "two" });
    expect(readdirSync(folder)).toEqual([VALUE_FILE]);
  });

  test("is a new file each time: a reader of the old one does not see the new values", () => {
    const folder = temporaryFolder();
    writeValueFile(folder, { web_token: "one" });
    const { ino } = statSync(join(folder, VALUE_FILE));
    writeValueFile(folder, { web_token: "two" });
    expect(statSync(join(folder, VALUE_FILE)).ino).not.toBe(ino);
  });

  test.each([
    {
      name: "a file without our note",
      make: (path: string) => writeFileSync(path, '{"web_token": "mine"}'),
    },
    { name: "a list", make: (path: string) => writeFileSync(path, "[]") },
    { name: "null", make: (path: string) => writeFileSync(path, "null") },
    { name: "a folder", make: (path: string) => mkdirSync(path) },
    { name: "a link to nowhere", make: (path: string) => symlinkSync("nowhere", path) },
    {
      name: "a huge file",
      make: (path: string) => writeFileSync(path, Buffer.alloc(17 * 1024 * 1024, " ")),
    },
  ])("is refused where there is $name, which stays", ({ make }) => {
    const folder = temporaryFolder();
    const path = join(folder, VALUE_FILE);
    make(path);
    const there = lstatSync(path);
    expect(() => writeValueFile(folder, { web_token: "one" })).toThrow("ERR_FILE_NOT_OURS");
    expect(removeValueFile(folder)).toBe(false);
    expect(lstatSync(path)).toMatchObject({
      ino: there.ino,
      size: there.size,
      mtimeMs: there.mtimeMs,
    });
    expect(readdirSync(folder)).toEqual([VALUE_FILE]);
  });

  test("refuses a link to one of our files: it would be read with another's rights", () => {
    const [own, other] = [temporaryFolder(), temporaryFolder()];
    writeValueFile(other, { web_token: "one" });
    symlinkSync(join(other, VALUE_FILE), join(own, VALUE_FILE));
    expect(() => writeValueFile(own, { web_token: "two" })).toThrow("ERR_FILE_NOT_OURS");
    expect(readValueFile(other)).toEqual({ web_token: "one" });
  });

  test("leaves no partial file when writing fails", () => {
    const folder = join(temporaryFolder(), "not-there");
    expect(() => writeValueFile(folder, { web_token: "one" })).toThrow("ERR_WRITE_FAILED");
    expect(existsSync(folder)).toBe(false);
  });

  test("is missing, and therefore not removed", () => {
    expect(removeValueFile(temporaryFolder())).toBe(false);
    expect(readValueFile(join(temporaryFolder(), "not-there"))).toBeUndefined();
  });
});

describe("the temporary file of a killed synthesis", () => {
  const gone = (): number => spawnSync(process.execPath, ["-e", ""]).pid;
  const leave = (folder: string, begin: string): string => {
    const name = `.iam-tokens-values-${begin}-00ff`;
    writeFileSync(join(folder, name), '{"web_token": "canary"}');
    return name;
  };

  test("is removed with the file, and also without one", () => {
    for (const there of [true, false]) {
      const folder = temporaryFolder();
      if (there) writeValueFile(folder, { web_token: "one" });
      ignoreValueFile(folder);
      leave(folder, `${gone()}`);
      leave(folder, `${process.pid}`);
      leave(folder, "ff");
      removeValues(folder);
      expect(readdirSync(folder)).toEqual(there ? [] : [".gitignore"]);
    }
  });

  test("is removed when the file is written anew, but not one that another process is writing", () => {
    const folder = temporaryFolder();
    leave(folder, `${gone()}`);
    const others = leave(folder, `${process.ppid}`);
    deliverValues(folder, { web_token: "one" });
    expect(readdirSync(folder).sort()).toEqual([".gitignore", others, VALUE_FILE].sort());
  });

  test("does not stop a synthesis if there is no folder", () => {
    expect(() => removeValues(join(temporaryFolder(), "not-there"))).not.toThrow();
  });
});

describe("the .gitignore next to it", () => {
  test("is ours if there was none before, and is removed with the file", () => {
    const folder = temporaryFolder();
    expect(ignoreValueFile(folder)).toBe(true);
    expect(ignoreValueFile(folder)).toBe(true);
    unignoreValueFile(folder);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["*\n", true],
    ["# comment\r\n*.auto.tfvars.json\r\n", true],
    ["*\n!.gitignore\n", true],
    ["*\n!*.json\n", false],
    ["*.tfstate\n", false],
    ["", false],
  ])("that is the user's own (%j) is not touched", (content, ignored) => {
    const folder = temporaryFolder();
    const path = join(folder, ".gitignore");
    writeFileSync(path, content);
    expect(ignoreValueFile(folder)).toBe(ignored);
    unignoreValueFile(folder);
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  testIf(process.platform !== "win32", "no FIFOs")("that is a FIFO is not waited for", () => {
    const folder = temporaryFolder();
    const path = join(folder, ".gitignore");
    execFileSync("mkfifo", [path]);
    const writer = spawn("/bin/sh", ["-c", 'echo "*" >"$0"', path], { stdio: "ignore" });
    expect(ignoreValueFile(folder)).toBe(false);
    writer.kill();
  });
});
