// Runs groups of tests (test/groups.cjs); dist must be built.
//
//   npm test                           unit, processes and scenarios
//   npm test -- keystone terrain       other groups; `all` are all of them
//   npm test -- scenarios data         what follows the groups goes to jest, here a part of a path
//   npm test -- platforms --install    … or to the group's own program

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const GROUPS = createRequire(import.meta.url)("./groups.cjs");
const NAMES = Object.keys(GROUPS).filter((name) => GROUPS[name].of === undefined);

const words = process.argv.slice(2);
const end = words.findIndex((word) => !["all", ...NAMES].includes(word));
const [named, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
const chosen = named.includes("all")
  ? NAMES
  : named.length > 0
    ? named
    : ["unit", "processes", "scenarios"];
const programs = chosen.filter((name) => GROUPS[name].program !== undefined);
const projects = Object.keys(GROUPS).filter(
  (name) => GROUPS[name].files !== undefined && chosen.includes(GROUPS[name].of ?? name),
);

if (/^\w[\w-]*$/.test(rest[0] ?? "")) {
  if (named.length === 0) fail(`There is no group ${rest[0]}. Groups: ${NAMES.join(", ")}, all.`);
  // Not a part of the checkout's own path.
  rest[0] = `/test/.*${rest[0]}`;
}
if (rest.length > 0 && programs.length > 0 && chosen.length > 1)
  fail(`Of several groups with ${programs[0]}, none takes arguments: ${rest.join(" ")}`);

// Before tsx is loaded, also in this process.
process.env.TSX_DISABLE_CACHE = "1";
const env = { ...process.env, CHECKPOINT_DISABLE: "1" };
// A person who waits gets a part of long tables and properties (test/support/fuzz.ts).
if (named.length === 0 || env.npm_lifecycle_event === "test:quick")
  env.IAM_TOKENS_TEST_ONE_OF ??= "5";
for (const name of projects) Object.assign(env, GROUPS[name].env);
// Without Terraform, nothing is downloaded for those that need none.
if (chosen.some((name) => !["unit", "processes"].includes(name))) {
  const { tsImport } = await import("tsx/esm/api");
  const tools = await tsImport("./toolchain/terraform-here.ts", import.meta.url);
  Object.assign(env, await tools.environmentWithTerraform({ env }));
}

for (const args of projects.flatMap((name) => GROUPS[name].before ?? []))
  if (!node(args)) process.exit(1);
let passed = true;
// jest takes each word behind --selectProjects for one of them.
const jest = createRequire(import.meta.url).resolve("jest/bin/jest");
if (projects.length > 0) passed = node([jest, ...rest, "--selectProjects", ...projects]);
for (const name of programs) passed = node([...GROUPS[name].program, ...rest]) && passed;
process.exitCode = passed ? 0 : 1;

/** Runs a program of Node.js, and returns whether it has succeeded. */
function node(args) {
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status === 0;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
