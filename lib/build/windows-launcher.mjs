// The launcher for Windows is a checked-in program: not every machine that builds has its compiler,
// and the bytes of the package must be the same everywhere. launcher.json records its sources and
// its compiler.
//
//   node lib/build/windows-launcher.mjs   compiles it anew (Debian: gcc-mingw-w64-x86-64-win32)

import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_ARGUMENTS, REMOVED_VARIABLES } from "../plugin/launcher/launcher-texts.cjs";
import { MINIMUM_NODE, readJson, root, run, writeJson } from "./project.mjs";

/** Passes NODE_EXTRA_CA_CERTS on: TLS connections read this variable. */
export const EXTRA_CA_VARIABLE = "IAM_TOKENS_EXTRA_CA_CERTS";

const FOLDER = join(root, "lib/plugin/launcher/windows");

const COMPILER = "x86_64-w64-mingw32-gcc-win32";

/** Without a C runtime, a time, or the name of a compiler or a folder. */
const OPTIONS = [
  "-Wall",
  "-Wextra",
  "-Werror",
  "-Os",
  "-ffreestanding",
  "-fno-ident",
  "-fno-asynchronous-unwind-tables",
  "-nostdlib",
  "-s",
  "-Wl,--no-insert-timestamp,--entry=entry,--subsystem=console:6.1",
  "-Wl,--dynamicbase,--nxcompat,--high-entropy-va",
  "-include",
  "settings.h",
  "launcher.c",
  "-o",
  "launcher.exe",
  "-lkernel32",
  "-lntdll",
];

/**
 * The checked-in launcher. Throws if it was compiled from other sources than the present ones.
 */
export function windowsLauncher() {
  const program = readFileSync(join(FOLDER, "launcher.exe"));
  const recorded = readJson(join(FOLDER, "launcher.json"));
  const found = { compiler: recorded.compiler, ...hashes(program) };
  if (JSON.stringify(found) !== JSON.stringify(recorded))
    throw new Error(
      "The launcher for Windows is not that of its source: node lib/build/windows-launcher.mjs.",
    );
  return program;
}

/** Compiles the launcher. */
export function compileWindowsLauncher() {
  const folder = mkdtempSync(join(tmpdir(), "launcher-"));
  try {
    cpSync(join(FOLDER, "launcher.c"), join(folder, "launcher.c"));
    writeFileSync(join(folder, "settings.h"), settings());
    run(COMPILER, OPTIONS, { cwd: folder });
    return readFileSync(join(folder, "launcher.exe"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The settings that launcher.sh has as well. Not the version: the program is the same for each. */
function settings() {
  const wide = (text) => `L${JSON.stringify(text)}`;
  return Object.entries({
    REMOVED_VARIABLES: REMOVED_VARIABLES.map(wide).join(", "),
    NODE_ARGUMENTS: wide(NODE_ARGUMENTS.join(" ")),
    EXTRA_CA_VARIABLE: wide(EXTRA_CA_VARIABLE),
    MINIMUM_NODE: JSON.stringify(MINIMUM_NODE),
  })
    .map(([name, value]) => `#define ${name} ${value}\n`)
    .join("");
}

function hashes(program) {
  const source = readFileSync(join(FOLDER, "launcher.c"), "utf8");
  return {
    "launcher.exe": sha256(program),
    // A checkout on Windows may have other line endings.
    "launcher.c": sha256(source.replaceAll("\r\n", "\n")),
    "settings.h": sha256(settings()),
  };
}

function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

if (process.argv[1] === import.meta.filename) {
  const program = compileWindowsLauncher();
  // Another compiler produces other bytes.
  const [compiler] = run(COMPILER, ["--version"]).split("\n");
  writeFileSync(join(FOLDER, "launcher.exe"), program);
  writeJson(join(FOLDER, "launcher.json"), { compiler, ...hashes(program) });
  console.log(`launcher.exe: ${program.length} bytes`);
}
