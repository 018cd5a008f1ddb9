// Takes each measure of SECURITY.md out of a copy of lib, and looks whether the test that
// SECURITY.md names for it falls: `npm run mutants`, with TEXT… only those whose words have it. Ten
// seconds each. `npm run mutants -- FILE.json` takes the rows of another file, of the same form:
// mutations of one's own, with a pattern of tests that have to notice.
//
// A row whose code is not found any more has to be renewed. A test that falls without a change as
// well proves nothing: each file runs once as it is.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { readJson, root } from "../../lib/build/project.mjs";

const words = process.argv.slice(2);
const [own] = words[0]?.endsWith(".json") ? words.splice(0, 1) : [];
const rows = readJson(own ?? join(import.meta.dirname, "measures.json")).filter(
  ({ measure }) => words.length === 0 || words.some((text) => measure.includes(text)),
);

const copy = realpathSync(mkdtempSync(join(tmpdir(), "mutants-")));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

for (const name of readdirSync(root))
  if (!["node_modules", ".git", "packed", "cdktf.out"].includes(name))
    cpSync(join(root, name), join(copy, name), { recursive: true, preserveTimestamps: true });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "dir");

failureOf(["lib/build.mjs"]);
/** What falls without a change, by the test's file. */
const fallenAnyway = new Map();
for (const { measure, file, from, to = "", test, build = false } of rows) {
  // All else blocks: signals are handled between two of them.
  await turn();
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  if (!fallenAnyway.has(test)) fallenAnyway.set(test, fallenOf(test));
  let fallen = [];
  let problem = text.includes(from) ? undefined : "its code is not found";
  if (problem === undefined) {
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    problem = build ? failureOf(["lib/build.mjs"]) : undefined;
    fallen = fallenOf(test).filter((name) => !fallenAnyway.get(test).includes(name));
    writeFileSync(path, text);
    if (build) failureOf(["lib/build.mjs"]);
  }
  if (fallen.length === 0) problem ??= "no test fell";
  const outcome = problem ?? `fell: ${fallen[0].slice(0, 100)}`;
  console.log(`${problem === undefined ? "ok   " : "WRONG"}  ${measure}: ${outcome}`);
  if (problem !== undefined) process.exitCode = 1;
}

/** Why a program of Node.js failed, if it has. */
function failureOf(args) {
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  return status === 0 ? undefined : stderr.slice(-500);
}

/** The tests of a file that fall; one that hangs, or cannot be loaded, is one. */
function fallenOf(test) {
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const output = join(copy, "result.json");
  rmSync(output, { force: true });
  const args = [
    "--selectProjects",
    "unit",
    "processes",
    "scenarios",
    "--json",
    `--outputFile=${output}`,
  ];
  const { stderr, error } = spawnSync(
    process.execPath,
    [jest, ...args, "--testPathPatterns", `test/${test}.test`],
    // What falls may print much, and a full buffer would look like a fall.
    { cwd: copy, encoding: "utf8", timeout: 300_000, maxBuffer: 1e9 },
  );
  if (error?.code === "ETIMEDOUT") return ["by time"];
  if (!existsSync(output)) throw new Error(`${test}: ${error?.message ?? stderr.slice(-500)}`);
  return readJson(output).testResults.flatMap(({ assertionResults, message, status }) =>
    status === "failed" && assertionResults.length === 0
      ? [message]
      : assertionResults.filter((each) => each.status === "failed").map(({ fullName }) => fullName),
  );
}
