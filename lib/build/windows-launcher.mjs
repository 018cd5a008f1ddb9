// The launcher for Windows is a checked-in program: not every machine that builds has its compiler,
// and the bytes of the package must be the same everywhere. launcher.json records its sources and
// its compiler.
//
//   node lib/build/windows-launcher.mjs   compiles it anew (Debian: gcc-mingw-w64-x86-64-win32)

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { EXTRA_CA_VARIABLE, launcherLists, minimumNode } from "./launcher-settings.mjs";

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
export function windowsLauncher(root) {
  const program = readFileSync(join(folderIn(root), "launcher.exe"));
  const recorded = JSON.parse(readFileSync(join(folderIn(root), "launcher.json"), "utf8"));
  const found = { compiler: recorded.compiler, ...hashesIn(root, program) };
  if (JSON.stringify(found) !== JSON.stringify(recorded))
    throw new Error(
      "The launcher for Windows is not that of its source: node lib/build/windows-launcher.mjs.",
    );
  return program;
}

/** Compiles the launcher. */
export function compileWindowsLauncher(root) {
  const folder = mkdtempSync(join(tmpdir(), "launcher-"));
  try {
    writeFileSync(join(folder, "launcher.c"), readFileSync(join(folderIn(root), "launcher.c")));
    writeFileSync(join(folder, "settings.h"), settingsIn(root));
    const { status, stderr, error } = spawnSync(COMPILER, OPTIONS, {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${COMPILER}: ${error?.message ?? stderr}`);
    return readFileSync(join(folder, "launcher.exe"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The settings that launcher.sh has as well. Not the version: the program is the same for each. */
function settingsIn(root) {
  const { removedVariables, nodeArguments } = launcherLists(root);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const wide = (text) => `L${JSON.stringify(text)}`;
  const settings = {
    REMOVED_VARIABLES: removedVariables.map(wide).join(", "),
    NODE_ARGUMENTS: wide(nodeArguments.join(" ")),
    EXTRA_CA_VARIABLE: wide(EXTRA_CA_VARIABLE),
    MINIMUM_NODE: JSON.stringify(minimumNode(manifest)),
  };
  return Object.entries(settings)
    .map(([name, value]) => `#define ${name} ${value}\n`)
    .join("");
}

function hashesIn(root, program) {
  const source = readFileSync(join(folderIn(root), "launcher.c"), "utf8");
  return {
    "launcher.exe": sha256(program),
    // A checkout on Windows may have other line endings.
    "launcher.c": sha256(source.replaceAll("\r\n", "\n")),
    "settings.h": sha256(settingsIn(root)),
  };
}

const folderIn = (root) => join(root, "lib/plugin/launcher/windows");
const sha256 = (content) => createHash("sha256").update(content).digest("hex");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(import.meta.dirname, "../..");
  const program = compileWindowsLauncher(root);
  const version = spawnSync(COMPILER, ["--version"], { encoding: "utf8" }).stdout;
  // Another compiler produces other bytes.
  const record = { compiler: version.split("\n")[0], ...hashesIn(root, program) };
  writeFileSync(join(folderIn(root), "launcher.exe"), program);
  writeFileSync(join(folderIn(root), "launcher.json"), `${JSON.stringify(record, null, 2)}\n`);
  console.log(`launcher.exe: ${program.length} bytes`);
}
