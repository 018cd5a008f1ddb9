const { execFileSync } = require("node:child_process");
const { mkdtempSync, rmSync, statfsSync, writeFileSync } = require("node:fs");
const { availableParallelism } = require("node:os");
const { join } = require("node:path");
const GROUPS = require("./test/groups.cjs");

// For the workers, which get them from here, a tenth of their time each: a larger space for what is
// soon garbage, of which tests make much, and compiling only what is used often.
process.execArgv.push("--max-semi-space-size=32", "--interrupt-budget=300000");

// Neither UTC nor whole hours, and with a summer time: no result may depend on where a machine is.
process.env.TZ = "America/St_Johns";

// Tests write and remove thousands of small files: in memory, this takes a tenth of the time.
if (holdsPrograms("/dev/shm", 2 ** 30)) process.env.TMPDIR ??= "/dev/shm";

function holdsPrograms(path, bytes) {
  let folder;
  try {
    const { bavail, bsize } = statfsSync(path);
    folder = mkdtempSync(join(path, "iam-"));
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

/** What no test needs, and many would load: of cdktf only a process of its own makes archives. */
const UNUSED = {
  "^archiver$": "<rootDir>/package.json",
  "^\\.\\./locales/index\\.cjs$": "<rootDir>/node_modules/zod/v4/locales/en.cjs",
};

const project = ([displayName, { files, setupFiles = [], moduleNameMapper = {} }]) => ({
  displayName,
  // jest finds its `<rootDir>` only at the beginning.
  testMatch: files.map((glob) =>
    `${glob}.test.ts`
      .replace(/^!?/, (not) => (not ? "!**/test/" : "<rootDir>/test/"))
      .replace("**.test", "**/*.test"),
  ),
  setupFiles,
  globalSetup: `<rootDir>/test/support/jest/${
    ["unit", "processes", "terrain", "build"].includes(displayName)
      ? "dist-is-new.cjs"
      : "ready-for-terraform.ts"
  }`,
  // Above the unit level, where a busy machine can be the reason.
  setupFilesAfterEnv: displayName === "unit" ? [] : ["<rootDir>/test/support/jest/retry.ts"],
  moduleNameMapper: { ...UNUSED, ...moduleNameMapper },
  restoreMocks: true,
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  testEnvironment: "<rootDir>/test/support/jest/environment.cjs",
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }],
  },
});

module.exports = {
  // jest would leave one core idle; and many tests wait, for a process or for a timer.
  maxWorkers: availableParallelism() + 2,
  testSequencer: "<rootDir>/test/support/jest/longest-first.cjs",
  // For what hangs: nothing here is timed, and a busy machine may take twenty times as long. (In a
  // project's own part jest takes no notice of it.)
  testTimeout: 60_000,
  reporters: ["default", ["<rootDir>/test/support/jest/not-run.cjs", GROUPS]],
  projects: Object.entries(GROUPS)
    .filter(([, { files }]) => files !== undefined)
    .map(project),
};
