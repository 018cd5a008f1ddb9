// The two small files that Terraform starts: a shell script, and the check of Node's version before
// the provider is loaded.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes them into `outdir`. */
export function writeLauncher(root, outdir, { version, engines }) {
  const texts = launcherTexts(root, {
    title: `The Terraform provider iam (cdktf-iam-tokens ${version})`,
    minimumNode: engines.node.replace(">=", ""),
    extraCaVariable: "IAM_TOKENS_EXTRA_CA_CERTS",
    handoverVariable: "IAM_TOKENS_HANDOVER",
    prefix: "iam-tokens",
  });
  mkdirSync(outdir, { recursive: true });
  const executable = join(outdir, `terraform-provider-iam_v${version}`);
  writeFileSync(executable, texts.script);
  chmodSync(executable, 0o755);
  writeFileSync(join(outdir, "main.cjs"), texts.main);
}

/**
 * The texts of both files.
 *
 * - `title`: what this is, for the sentence about a missing Node.js
 * - `minimumNode`: oldest Node.js that runs the provider
 * - `extraCaVariable`: hands NODE_EXTRA_CA_CERTS on, to be honoured where a TLS connection is made
 * - `handoverVariable`: switches the hand-over off by any value but `1`
 * - `prefix`: how the names of the hand-over's folders begin
 */
export function launcherTexts(root, options) {
  const folder = join(root, "lib/plugin/launcher");
  const words = (file) => JSON.parse(readFileSync(join(folder, file), "utf8")).join(" ");
  const script = filled(readFileSync(join(folder, "launcher.sh"), "utf8"), {
    TITLE: options.title,
    MINIMUM_NODE: options.minimumNode,
    EXTRA_CA_VARIABLE: options.extraCaVariable,
    HANDOVER_VARIABLE: options.handoverVariable,
    PREFIX: options.prefix,
    REMOVED_VARIABLES: words("removed-variables.json"),
    NODE_ARGUMENTS: words("node-arguments.json"),
  });
  return { script, main: mainScript(options) };
}

/** With the values in the place of their names. Comments stay: without them sh is no faster. */
function filled(script, values) {
  return script.replaceAll(/__([A-Z_]+)__/g, (name, key) => {
    if (values[key] === undefined) throw new Error(`${name} in launcher.sh is not known.`);
    return values[key];
  });
}

/**
 * For the first line of each program: by SIGUSR1 Node.js opens its debugger. From here on it does
 * not; what came before may still open it, some milliseconds later, and it is closed again.
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
 * `main.cjs`: says so when Node.js is too old, in words that any Node.js understands, else loads
 * the provider beside it. What takes the place of Node.js (Bun, Deno) serves one launch, and has
 * not what the server of a hand-over needs: without a word the launcher starts one for its launch.
 */
const mainScript = ({ title, minimumNode }) => `'use strict';
${NO_DEBUGGER}
if (process.argv[2] === 'handover' && (process.versions.bun || process.versions.deno)) process.exit(1);
var have = process.versions.node.split('.').map(Number);
var need = '${minimumNode}'.split('.').map(Number);
var older = have[0] - need[0] || have[1] - need[1] || have[2] - need[2];
if (older < 0) {
  require('fs').writeSync(1, '${title} needs Node.js ${minimumNode} or newer; this is ' + process.versions.node + '.\\n');
  process.exit(1);
}
require('./provider.cjs');
`;
