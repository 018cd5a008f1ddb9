import { type HandoverOptions, handoverFunction } from "./handover-script";

export interface LauncherOptions {
  /** What this is, for the sentence about a missing Node.js: `The Terraform provider "iam"`. */
  readonly title: string;
  /** Oldest Node.js that runs the provider: `20.18.1`. */
  readonly minimumNode: string;
  /**
   * Variable that NODE_EXTRA_CA_CERTS is handed on in, to be honoured where a TLS connection is
   * made.
   */
  readonly extraCaVariable: string;
  /** How all launches of one Terraform process share a server; each has its own when left out. */
  readonly handover?: HandoverOptions;
}

/**
 * Variables by which Node.js is made to load, print or trust something else, or starts slowly. What
 * a user set for their own programs must not reach a provider that holds secrets; NODE_CHANNEL_FD
 * and NODE_UNIQUE_ID would even stop its start.
 */
const REMOVED_VARIABLES = [
  "NODE_OPTIONS",
  "NODE_EXTRA_CA_CERTS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "NODE_DEBUG",
  "NODE_DEBUG_NATIVE",
  "NODE_V8_COVERAGE",
  "NODE_PATH",
  "NODE_COMPILE_CACHE",
  "NODE_REDIRECT_WARNINGS",
  "NODE_REPL_EXTERNAL_MODULE",
  "NODE_PRESERVE_SYMLINKS",
  "NODE_PRESERVE_SYMLINKS_MAIN",
  "NODE_PENDING_DEPRECATION",
  "NODE_ICU_DATA",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
  "NODE_UNIQUE_ID",
  "NODE_TEST_CONTEXT",
] as const;

/**
 * The executable that Terraform starts: a shell script (POSIX sh) that becomes Node.js with
 * `main.cjs` beside it, or waits while a server that is there serves its launch. It runs at every
 * launch, so it does nothing that it need not.
 */
export function launcherScript({
  title,
  minimumNode,
  extraCaVariable,
  handover,
}: LauncherOptions): string {
  assertPlain({ title, minimumNode, extraCaVariable, ...(handover && { handover }) });
  return `#!/bin/sh
# ${title}, started by Terraform or OpenTofu.
# A company's certificates make Node.js start several times slower; they are handed on and read when they are needed.
if [ -n "\${NODE_EXTRA_CA_CERTS-}" ]; then ${extraCaVariable}=$NODE_EXTRA_CA_CERTS; export ${extraCaVariable}; fi
unset ${REMOVED_VARIABLES.join(" ")}
case $0 in */*) here=\${0%/*} ;; *) here=. ;; esac
# Terraform links the folder. Whoever linked this one file instead is served too.
if [ ! -f "$here/main.cjs" ]; then here=$(readlink -f -- "$0") && here=\${here%/*}; fi
if ! command -v node >/dev/null 2>&1; then
  echo '${title} needs Node.js ${minimumNode} or newer, and there is no "node" in PATH.'
  exit 1
fi
${handover === undefined ? "" : tryHandover(handover)}exec node "$here/main.cjs"
`;
}

/**
 * Without TLS nothing would tell the clients apart; and what a server writes for several launches
 * cannot be in the log of each.
 */
function tryHandover(handover: HandoverOptions): string {
  return `${handoverFunction(handover)}if [ "\${${handover.variable}-1}" = 1 ] && [ -n "\${PLUGIN_CLIENT_CERT-}" ] && [ -z "\${TF_LOG-}\${TF_LOG_PROVIDER-}" ]; then handover; fi
`;
}

/** What the script makes of an environment, for a provider that is started without it. */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  extraCaVariable: string,
): Record<string, string | undefined> {
  const clean = { ...env };
  if (env.NODE_EXTRA_CA_CERTS) clean[extraCaVariable] = env.NODE_EXTRA_CA_CERTS;
  for (const name of REMOVED_VARIABLES) delete clean[name];
  return clean;
}

/**
 * `main.cjs`: says so when Node.js is too old, in words that any Node.js understands, else loads
 * the provider beside it.
 */
export function mainScript({ title, minimumNode, extraCaVariable }: LauncherOptions): string {
  assertPlain({ title, minimumNode, extraCaVariable });
  return `'use strict';
var have = process.versions.node.split('.').map(Number);
var need = '${minimumNode}'.split('.').map(Number);
var older = have[0] - need[0] || have[1] - need[1] || have[2] - need[2];
if (older < 0) {
  require('fs').writeSync(1, '${title} needs Node.js ${minimumNode} or newer; this is ' + process.versions.node + '.\\n');
  process.exit(1);
}
require('./provider.cjs');
`;
}

/** The texts stand in quotes of two languages. */
function assertPlain(options: LauncherOptions): void {
  if (!/^[\w "().,-]+$/.test(options.title))
    throw new TypeError("title: letters, digits, spaces and plain punctuation only");
  if (!/^\d+\.\d+\.\d+$/.test(options.minimumNode))
    throw new TypeError("minimumNode: three numbers joined by dots");
  if (!/^[A-Z][A-Z0-9_]*$/.test(options.extraCaVariable))
    throw new TypeError("extraCaVariable: the name of a variable");
  const { variable, prefix } = options.handover ?? { variable: "X", prefix: "x" };
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable))
    throw new TypeError("handover.variable: the name of a variable");
  if (!/^[a-z][a-z0-9-]*$/.test(prefix))
    throw new TypeError("handover.prefix: lower-case letters, digits and hyphens only");
}
