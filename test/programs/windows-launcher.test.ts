/** Compiles the launcher for Windows again, if the compiler that built it is here. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";

const FOLDER = join(packageRoot, "lib/plugin/launcher/windows");
const { compiler } = JSON.parse(readFileSync(join(FOLDER, "launcher.json"), "utf8")) as {
  readonly compiler: string;
};
const here = spawnSync("x86_64-w64-mingw32-gcc-win32", ["--version"], {
  encoding: "utf8",
}).stdout?.split("\n")[0];

testIf(here === compiler, `${compiler} is not here`)(
  "the launcher for Windows is, byte by byte, that of its source",
  () => {
    const program = `import { compileWindowsLauncher } from "./lib/build/windows-launcher.mjs";
      console.log(compileWindowsLauncher().toString("base64"));`;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { cwd: packageRoot, encoding: "utf8" },
    );
    expect([stdout.trim(), stderr]).toEqual([
      readFileSync(join(FOLDER, "launcher.exe"), "base64"),
      "",
    ]);
  },
);
