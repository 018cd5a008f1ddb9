import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathInShell } from "../../lib/cli/shell-quoted";

test.each([
  "plain-1.txt",
  "a b",
  "$(touch owned)",
  "`touch owned`",
  "it's",
  'a"b',
  "*",
  "a\nb",
  "\u001b[31m",
  "é",
  "-",
])("a path in a command is that file to a shell, whatever its name: %j", (name) => {
  const folder = mkdtempSync(join(tmpdir(), "shell-"));
  try {
    const path = join(folder, name);
    writeFileSync(path, "here");
    const shown = pathInShell(path);
    expect(shown).not.toMatch(/\p{C}/u);
    expect(execFileSync("sh", ["-c", `cat ${shown}`], { cwd: folder, encoding: "utf8" })).toBe(
      "here",
    );
    execFileSync("sh", ["-c", "test ! -e owned"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
