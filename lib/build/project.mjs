// The checkout, and functions that several steps of the build use.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The checkout. */
export const root = resolve(import.meta.dirname, "../..");

export const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

export const writeJson = (path, value) =>
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** The package.json of a package in a folder. */
export const manifestOf = (folder) => readJson(join(folder, "package.json"));

/** The checkout's package.json. */
export const MANIFEST = manifestOf(root);

/** The oldest Node.js that runs all of this. */
export const MINIMUM_NODE = MANIFEST.engines.node.replace(">=", "");

/** Edits a file. An edit that changes nothing is an error: its step has to go. */
export function edit(path, change) {
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`${path} has no place for a change: take this step out.`);
  writeFileSync(path, changed);
}

/** Runs a program to its end. A failure is an error with the program's output. */
export function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    ...options,
    env: environment(options),
  });
  if (status === 0) return stdout;
  throw failure(program, args, error?.message ?? `exit code ${status}`, [stdout, stderr]);
}

/** The same, while others run. */
export async function runBeside(program, args, options = {}) {
  const child = spawn(program, args, { ...options, env: environment(options) });
  const texts = ["", ""];
  for (const [at, stream] of [child.stdout, child.stderr].entries())
    stream?.setEncoding("utf8").on("data", (text) => {
      texts[at] += text;
    });
  const [code] = await once(child, "close");
  if (code === 0) return texts[0];
  throw failure(program, args, `exit code ${code}`, texts);
}

/** jsii's programs warn about each Node.js that has reached its end of life, in eleven lines. */
const environment = ({ env = process.env }) => ({
  ...env,
  JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: process.versions.node.split(".")[0],
});

const failure = (program, args, reason, texts) =>
  new Error(`${program} ${args.join(" ")}: ${reason}\n${texts.join("")}`);
