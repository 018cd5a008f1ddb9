// Mutation testing of the rooms that need no network: `npm run mutants`, or of some of them or of
// single files, `npm run mutants -- hcl tokens/duration`. Prints each mutant that the room's tests
// let live. Fails if a score is too low.
//
// Stryker (https://stryker-mutator.io) is installed into node_modules/.cache by the first run.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { onTested } from "./as-found.mjs";

const LEAST_SCORE = 90;

/** By its name, what is mutated in lib and which tests have to notice. */
const ROOMS = {
  retry: {
    code: "identity/retry",
    tests: ["identity/retry", "identity/answers", "identity/identity-client"],
  },
  cache: {
    code: "identity/cache",
    tests: ["identity/cache/*", "identity/ways/*", "identity/identity-client"],
  },
  waiting: {
    code: "identity/waiting",
    tests: ["identity/waiting/*", "identity/identity-client"],
  },
  interpret: {
    code: "identity/interpret",
    tests: ["identity/answers", "identity/ways/*", "identity/identity-client"],
  },
  cty: { code: "plugin/cty", tests: ["plugin/cty/*"] },
  protocol: { code: "plugin/protocol", tests: ["plugin/protocol/*", "plugin/server/*"] },
  credentials: {
    code: "provider/credentials",
    tests: [
      "provider/credentials/*",
      "provider/objects/{refusals,static-token,ways,resource-iam-token,revoke-on-destroy,schema}",
      "provider/sign-in-mistakes",
    ],
  },
  secrets: {
    code: "provider/secrets",
    tests: [
      "provider/secrets/*",
      "provider/credentials/*",
      "provider/objects/{refusals,static-token}",
      "provider/process/allow-list",
    ],
  },
  requests: {
    code: "identity",
    only: "{credential,requests}",
    tests: ["identity/requests", "identity/ways/*", "identity/cache/*"],
  },
  client: {
    code: "identity",
    only: "{identity-client,sign-ins,github-actions}",
    tests: ["identity/identity-client", "identity/ways/*", "identity/{cache,waiting}/*"],
  },
  rotation: {
    code: "rotation",
    tests: ["rotation/*", "constructs/rotation/rotation-schedule"],
  },
  plans: {
    code: "provider/objects",
    only: "plan-rotation",
    tests: ["plan-rotation", "refusals", "resource-iam-rotation", "schema"].map(
      (name) => `provider/objects/${name}`,
    ),
  },
  hcl: { code: "hcl", tests: ["hcl/*"] },
  // Without what the tests of `install` and of the package prove.
  delivery: {
    code: "delivery",
    without: ["packed-provider", "zip", "package-root", "platforms"],
    tests: ["delivery/*", "delivery/lock/*"],
  },
  // Without the table of codes, which is texts that each would cost a run of all tests.
  tokens: {
    code: "tokens",
    without: ["error-codes", "ways"],
    tests: ["tokens/!(error-codes)", "provider/secrets/read-secret", "provider/objects/iam-token"],
  },
  ways: {
    code: "tokens",
    only: "ways",
    tests: [
      "tokens/ways",
      "provider/credentials/{one-source,openstacksdk}",
      "constructs/identity-service",
    ],
  },
  constructs: {
    code: "constructs",
    only: "{*,{blocks,credentials,declarations,rotation,stack,values}/*}",
    // A shell script.
    without: ["rotation/hook-script"],
    tests: [
      "constructs/!(required-providers)",
      "constructs/{blocks,declarations,values}/*",
      "constructs/rotation/rotation-schedule",
      "delivery/deliver",
      "resolution/{refusals,without-file,written-values}",
    ],
  },
  survey: {
    code: "constructs/survey",
    tests: [
      "constructs/{uses,secrets,refusals,required-providers}*",
      "constructs/{tokens,token-outputs,embedded-provider}*",
      "resolution/{without-file,refusals}*",
    ],
  },
  resolution: { code: "resolution", tests: ["resolution/*"] },
  stored: { code: "cli/stored", tests: ["cli/{revoke,verify,stored}/*"] },
  issue: { code: "cli/issue", without: ["index"], tests: ["cli/issue/*"] },
  schedule: { code: "cli/schedule", only: "verdict", tests: ["cli/schedule"] },
  doctor: { code: "cli/doctor", only: "{check,terraform-words}", tests: ["cli/doctor/words"] },
  install: { code: "cli/install", tests: ["cli/install/*"] },
};

const project = fileURLToPath(new URL("../../", import.meta.url));

const folder = mkdtempSync(join(realpathSync(tmpdir()), "mutants-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Installs Stryker, when it is not there as the lock file has it. */
async function loadStryker() {
  const home = join(project, "node_modules/.cache/mutants");
  mkdirSync(home, { recursive: true });
  const locked = (where) => {
    try {
      return readFileSync(join(where, "package-lock.json"), "utf8");
    } catch {
      return "";
    }
  };
  const own = join(project, "test/mutants");
  if (locked(home) !== locked(own)) {
    cpSync(join(own, "package.json"), join(home, "package.json"));
    cpSync(join(own, "package-lock.json"), join(home, "package-lock.json"));
    execFileSync("npm", ["ci"], { cwd: home, stdio: ["ignore", "ignore", "inherit"] });
  }
  return import(join(home, "node_modules/@stryker-mutator/core/dist/src/index.js"));
}

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
    plugins: [
      "@stryker-mutator/mocha-runner",
      fileURLToPath(new URL("as-found.mjs", import.meta.url)),
    ],
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

/** `lib/hcl/scan.ts:12:5  a < b  ->  a <= b`, and whether any test runs it. */
function line({ fileName, location: { start, end }, replacement, status }) {
  const path = relative(project, fileName);
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
  throw new Error(`no such room: ${unknown.join(", ")}; there is ${Object.keys(ROOMS).join(", ")}`);
}

process.chdir(project);
// As it is now: a room takes minutes, in which somebody may go on working.
cpSync("lib", join(folder, "lib"), { recursive: true });
process.env.TMPDIR = folder;
// Code that means UTC must say so; the machine's own zone may be UTC by chance.
process.env.TZ = "Asia/Kathmandu";
// Cases of each property: enough to notice, and few enough for thousands of runs.
process.env.IAM_TOKENS_FUZZ ??= "50";
const { Stryker } = await loadStryker();
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
