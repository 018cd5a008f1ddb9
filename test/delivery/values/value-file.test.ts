import { spawnSync } from "node:child_process";
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

describe("the file of values", () => {
  test("is for its owner alone, whatever the umask and whatever was there before", () => {
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

  test("is another file each time: who has the old one open sees nothing of the new one", () => {
    const folder = temporaryFolder();
    writeValueFile(folder, { web_token: "one" });
    const { ino } = statSync(join(folder, VALUE_FILE));
    writeValueFile(folder, { web_token: "two" });
    expect(statSync(join(folder, VALUE_FILE)).ino).not.toBe(ino);
  });

  test.each([
    ["a file without our note", (path: string) => writeFileSync(path, '{"web_token": "mine"}')],
    ["a list", (path: string) => writeFileSync(path, "[]")],
    ["null", (path: string) => writeFileSync(path, "null")],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link to nowhere", (path: string) => symlinkSync("nowhere", path)],
    ["a huge file", (path: string) => writeFileSync(path, Buffer.alloc(17 * 1024 * 1024, " "))],
  ])("is refused where there is %s, which stays", (_name, make) => {
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

  test("a link to one of ours is refused too: it would be read with another's rights", () => {
    const [own, other] = [temporaryFolder(), temporaryFolder()];
    writeValueFile(other, { web_token: "one" });
    symlinkSync(join(other, VALUE_FILE), join(own, VALUE_FILE));
    expect(() => writeValueFile(own, { web_token: "two" })).toThrow("ERR_FILE_NOT_OURS");
    expect(readValueFile(other)).toEqual({ web_token: "one" });
  });

  test("nothing half written is left where writing fails", () => {
    const folder = join(temporaryFolder(), "not-there");
    expect(() => writeValueFile(folder, { web_token: "one" })).toThrow("ERR_WRITE_FAILED");
    expect(existsSync(folder)).toBe(false);
  });

  test("is not there, and so not removed", () => {
    expect(removeValueFile(temporaryFolder())).toBe(false);
    expect(readValueFile(join(temporaryFolder(), "not-there"))).toBeUndefined();
  });
});

describe("what a killed synthesis has left", () => {
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

  test("is removed when the file is written anew, and what another process writes just now is not", () => {
    const folder = temporaryFolder();
    leave(folder, `${gone()}`);
    const others = leave(folder, `${process.ppid}`);
    deliverValues(folder, { web_token: "one" });
    expect(readdirSync(folder).sort()).toEqual([".gitignore", others, VALUE_FILE].sort());
  });

  test("does not stop a synthesis where there is no folder", () => {
    expect(() => removeValues(join(temporaryFolder(), "not-there"))).not.toThrow();
  });
});

describe("the .gitignore beside it", () => {
  test("is ours where there was none, and goes with the file", () => {
    const folder = temporaryFolder();
    expect(ignoreValueFile(folder)).toBe(true);
    expect(ignoreValueFile(folder)).toBe(true);
    unignoreValueFile(folder);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["*\n", true],
    ["# comment\r\n*.auto.tfvars.json\r\n", true],
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
});
