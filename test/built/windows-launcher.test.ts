/** The launcher for Windows, which is checked in: whether it is that of its source. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { temporaryFolder } from "../support/temporary-folder";

const FOLDER = "lib/plugin/launcher/windows";
let copy: string;

beforeEach(() => {
  copy = temporaryFolder();
  for (const name of ["lib/build", "lib/plugin/launcher", "package.json"])
    cpSync(join(packageRoot, name), join(copy, name), { recursive: true });
});

/** The size of the program that the build takes into the package; or why it takes none. */
function taken(): string {
  const program = `import { windowsLauncher } from "./lib/build/windows-launcher.mjs";
    try { console.log(windowsLauncher().length); } catch (e) { console.log(e.message); }`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", program],
    { cwd: copy, encoding: "utf8" },
  );
  return stdout.trim() || stderr;
}

const change = (file: string, from: string | RegExp, to: string): void => {
  const before = readFileSync(join(copy, file), "latin1");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  writeFileSync(join(copy, file), after, "latin1");
};

test("takes the checked-in program, even from a checkout with the line ends of Windows", () => {
  const size = readFileSync(join(packageRoot, FOLDER, "launcher.exe")).length;
  expect(taken()).toBe(String(size));
  change(join(FOLDER, "launcher.c"), /\n/g, "\r\n");
  expect(taken()).toBe(String(size));
});

test.each<[what: string, file: string, from: string, to: string]>([
  ["the program", join(FOLDER, "launcher.exe"), "PE", "pe"],
  ["its source", join(FOLDER, "launcher.c"), "11000", "12000"],
  ["the variables that are removed", "lib/plugin/launcher/removed-variables.json", "_DEBUG", "_D"],
  ["the arguments of Node.js", "lib/plugin/launcher/node-arguments.json", "9229", "9230"],
  ["the oldest Node.js", "package.json", ">=20", ">=22"],
])("if %s differs, the build says how to compile it anew", (_what, file, from, to) => {
  change(file, from, to);
  expect(taken()).toBe(
    "The launcher for Windows is not that of its source: node lib/build/windows-launcher.mjs.",
  );
});
