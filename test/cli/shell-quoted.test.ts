import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathInShell } from "../../lib/cli/shell-quoted";
import { onPlatform } from "../support/platform";
import { temporaryFolder } from "../support/temporary-folder";

test.each([
  "plain-1.txt",
  "a b",
  "$(touch owned)",
  "`touch owned`",
  "it's a 'name'",
  'a"b',
  "*",
  "a\nb",
  "\u001b[31m",
  "é",
  "-",
])("a shell reads a quoted path as the same file, whatever its name: %j", (name) => {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, "here");
  const printed = pathInShell(path);
  expect(printed).not.toMatch(/\p{C}/u);
  expect(execFileSync("sh", ["-c", `cat ${printed}`], { cwd: folder, encoding: "utf8" })).toBe(
    "here",
  );
  execFileSync("sh", ["-c", "test ! -e owned"], { cwd: folder });
});

test.each([
  ["C:\\work\\stack", "C:\\work\\stack"],
  ["C:\\it's $(here)", "'C:\\it''s $(here)'"],
])("quotes the path %s for PowerShell on Windows", (path, shown) => {
  expect(onPlatform("win32", () => pathInShell(path))).toBe(shown);
});
