// Mutation testing of the rooms that need no network: `npm run mutants`, or of some of them or of
// single files, `npm run mutants -- hcl tokens/duration`. Prints each mutant that the room's tests
// let live. Fails if a score is too low.
//
// Stryker (https://stryker-mutator.io) is installed into node_modules/.cache by the first run.

import { cpSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { installLocked } from "../../lib/build/languages/tools.mjs";
import { root } from "../../lib/build/project.mjs";
import rooms from "../rooms.cjs";
import { onTested } from "./as-found.mjs";
import { scratch as folder } from "./scratch.mjs";

const LEAST_SCORE = 90;
const { MUTATED: ROOMS } = rooms;

/** `a/{b,c}` as `a/b` and `a/c`: the runner splits a pattern at its commas, and finds no file. */
function spelledOut(pattern) {
  const [, before, choices, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return choices?.split(",").map((choice) => `${before}${choice}${after}`) ?? [pattern];
}

/** The mutants of a room, or of one file in it, each with what became of it. */
async function run(Stryker, name) {
  const [room, ...file] = name.split("/");
  const { code, only = "**/*", without = [], tests } = ROOMS[room];
  return new Stryker({
    mutate: [
      `lib/${code}/${file.join("/") || only}.ts`,
      ...without.map((path) => `!lib/${code}/${path}.ts`),
    ],
    testRunner: "mocha",
    plugins: ["@stryker-mutator/mocha-runner", join(import.meta.dirname, "as-found.mjs")],
    mochaOptions: {
      require: ["tsx/cjs", "./test/mutants/globals.cjs"],
      spec: tests.flatMap(spelledOut).map((name) => `test/${name}.test.ts`),
    },
    coverageAnalysis: "perTest",
    concurrency: 1,
    timeoutMS: 10_000,
    reporters: ["as-found", process.stdout.isTTY ? "progress" : "progress-append-only"],
    logLevel: "error",
    tempDirName: folder,
    cleanTempDir: "always",
    // There is none of this name: Stryker would read it by the API that TypeScript 7 does not have.
    tsconfigFile: "none.json",
  }).runMutationTest();
}

/** `lib/hcl/json.ts:12:5  a < b  ->  a <= b`, and whether any test runs it. */
function line({ fileName, location: { start, end }, replacement, status }) {
  const path = relative(root, fileName);
  const lines = readFileSync(join(folder, path), "utf8").split("\n");
  const last = lines[end.line - 1].slice(0, end.column - 1);
  const original =
    start.line === end.line
      ? last.slice(start.column - 1)
      : [lines[start.line - 1].slice(start.column - 1), "…", last].join(" ");
  const short = (text) => text.replace(/\s+/g, " ").slice(0, 60);
  const unnoticed = status === "NoCoverage" ? "  (no test runs it)" : "";
  const at = `${path}:${start.line}:${start.column}`;
  return `  ${at}  ${short(original)}  ->  ${short(replacement)}${unnoticed}`;
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(ROOMS);
const unknown = names.filter((name) => !(name.split("/")[0] in ROOMS));
if (unknown.length > 0) {
  console.error(`There is no room ${unknown.join(", ")}. Rooms: ${Object.keys(ROOMS).join(", ")}.`);
  process.exit(2);
}

process.chdir(root);
// As it is now: a room takes minutes, in which somebody may go on working.
cpSync("lib", join(folder, "lib"), { recursive: true });
process.env.TMPDIR = folder;
// Code that means UTC must say so; the machine's own zone may be UTC by chance.
process.env.TZ = "Asia/Kathmandu";
// Cases of each property: enough to notice, and few enough for thousands of runs.
process.env.IAM_TOKENS_FUZZ ??= "50";
const home = installLocked(import.meta.dirname, "mutants");
const { Stryker } = await import(
  join(home, "node_modules/@stryker-mutator/core/dist/src/index.js")
);
const ALIVE = ["Survived", "NoCoverage"];
onTested((mutant) => {
  if (ALIVE.includes(mutant.status)) console.log(line(mutant));
});
for (const name of names) {
  const since = Date.now();
  const mutants = await run(Stryker, name);
  const of = (...statuses) => mutants.filter(({ status }) => statuses.includes(status));
  const dead = of("Killed", "Timeout").length;
  const alive = of(...ALIVE);
  const score = (100 * dead) / (dead + alive.length);
  const covered = (100 * dead) / (dead + of("Survived").length);
  const seconds = Math.round((Date.now() - since) / 1000);
  console.log(
    `${name}: ${score.toFixed(1)} % of ${dead + alive.length} mutants ` +
      `(${covered.toFixed(1)} % of those that tests run), ${of("Timeout").length} by time, ${seconds} s`,
  );
  if (!(score >= LEAST_SCORE)) process.exitCode = 1;
}
