// The small files that Terraform starts: a shell script, a program for Windows, and the check of
// Node's version before the provider is loaded.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXTRA_CA_VARIABLE, launcherLists, minimumNode } from "./launcher-settings.mjs";
import { windowsLauncher } from "./windows-launcher.mjs";

/** Writes the launchers into `outdir`. */
export function writeLauncher(root, outdir, manifest) {
  const { version } = manifest;
  const texts = launcherTexts(root, {
    title: `The Terraform provider iam (cdktf-iam-tokens ${version})`,
    minimumNode: minimumNode(manifest),
    extraCaVariable: EXTRA_CA_VARIABLE,
    handoverVariable: "IAM_TOKENS_HANDOVER",
    prefix: "iam-tokens",
  });
  mkdirSync(join(outdir, "windows"), { recursive: true });
  const executable = join(outdir, `terraform-provider-iam_v${version}`);
  writeFileSync(executable, texts.script);
  chmodSync(executable, 0o755);
  writeFileSync(join(outdir, "main.cjs"), texts.main);
  const program = `windows/terraform-provider-iam_v${version}.exe`;
  writeFileSync(join(outdir, program), windowsLauncher(root));
}

/**
 * The contents of both files.
 *
 * - `title`: the subject of the sentence about a missing Node.js
 * - `minimumNode`: oldest Node.js that runs the provider
 * - `extraCaVariable`: passes NODE_EXTRA_CA_CERTS on, for TLS connections
 * - `handoverVariable`: switches the hand-over off by any value but `1`
 * - `prefix`: of the names of the hand-over's folders
 */
export function launcherTexts(root, options) {
  const { removedVariables, nodeArguments } = launcherLists(root);
  const source = readFileSync(join(root, "lib/plugin/launcher/launcher.sh"), "utf8");
  const script = filled(source, {
    TITLE: options.title,
    MINIMUM_NODE: options.minimumNode,
    EXTRA_CA_VARIABLE: options.extraCaVariable,
    HANDOVER_VARIABLE: options.handoverVariable,
    PREFIX: options.prefix,
    REMOVED_VARIABLES: removedVariables.join(" "),
    NODE_ARGUMENTS: nodeArguments.join(" "),
  });
  return { script, main: mainScript(options) };
}

/** Replaces names by values. Comments stay: sh is not faster without them. */
function filled(script, values) {
  return script.replaceAll(/__([A-Z_]+)__/g, (name, key) => {
    if (values[key] === undefined) throw new Error(`${name} in launcher.sh is not known.`);
    return values[key];
  });
}

/**
 * For the first line of each program: on SIGUSR1, Node.js opens its debugger. From here on it does
 * not. An earlier signal may still open it some milliseconds later; it is then closed.
 */
export const NO_DEBUGGER = `(function () {
  process.on('SIGUSR1', function () {});
  if (!process._debugEnd) return;
  var left = 50;
  process._debugEnd();
  var again = setInterval(function () {
    process._debugEnd();
    if (--left === 0) clearInterval(again);
  }, 20);
  again.unref();
})();`;

/**
 * Prints a message and ends if Node.js is too old, in syntax that any Node.js understands: it would
 * otherwise fail later, at the first feature that it does not have.
 *
 * - `title`: the subject of the message
 * - `descriptor`: for the message: 1 or 2
 */
export const refuseOlderNode = ({ title, minimumNode, descriptor }) => `(function () {
  var have = process.versions.node.split('.').map(Number);
  var need = '${minimumNode}'.split('.').map(Number);
  if ((have[0] - need[0] || have[1] - need[1] || have[2] - need[2]) < 0) {
    var said = '${title} needs Node.js ${minimumNode} or newer; this is ';
    require('fs').writeSync(${descriptor}, said + process.versions.node + '.\\n');
    process.exit(1);
  }
})();`;

/**
 * `main.cjs`: prints a message if Node.js is too old, otherwise loads the provider next to it.
 * Replacements of Node.js (Bun, Deno) serve only one launch, because they lack features for the
 * server of a hand-over; the launcher then silently starts one server for its launch.
 */
const mainScript = ({ title, minimumNode }) => `'use strict';
${NO_DEBUGGER}
if (process.argv[2] === 'handover' && (process.versions.bun || process.versions.deno)) process.exit(1);
${refuseOlderNode({ title, minimumNode, descriptor: 1 })}
require('./provider.cjs');
`;
