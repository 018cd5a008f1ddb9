// The launcher for Windows alone, in situations that the probe does not reach.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { packageVersion } from "../../lib/delivery/package-root";
import { launcherName } from "../../lib/delivery/provider-files";
import { MAGIC_COOKIE } from "../../lib/plugin/launch/handshake";
import { createServerIdentity } from "../../lib/plugin/tls/server-identity";
import { markedProcesses } from "../support/processes";
import { packageRoot } from "../support/project";
import type { WineMachine } from "./under-wine";

/** Much longer than the launcher waits for the provider: the machine may be busy. */
const GONE_MS = 120_000;

/** Rejects with what is not as it should be. */
export async function checkLauncher(machine: WineMachine): Promise<void> {
  const folder = join(machine.work, "launcher folder ü");
  mkdirSync(folder);
  const dist = join(packageRoot, "dist/terraform");
  for (const name of ["main.cjs", "provider.cjs", "identity.cjs", "clouds.cjs", "objects.cjs"])
    copyFileSync(join(dist, name), join(folder, name));
  const launcher = join(folder, "terraform-provider-iam.exe");
  copyFileSync(join(dist, "windows", launcherName(packageVersion(), "windows_amd64")), launcher);
  const launch = {
    [MAGIC_COOKIE.name]: MAGIC_COOKIE.value,
    PLUGIN_PROTOCOL_VERSIONS: "5,6",
    NODE_OPTIONS: "--no-such-option",
  };

  // A file in Terraform's working folder is not Node.js.
  const planted = join(machine.work, "planted");
  mkdirSync(planted);
  copyFileSync(launcher, join(planted, "node.exe"));
  // Each of these PATHs leads to the current folder, also one that starts with a drive.
  for (const path of [".", "Z:", "Z:.", "Z:..\\planted"]) {
    const without = await machine.start(launcher, [], { cwd: planted, env: { WINEPATH: path } });
    expectText(
      without.text,
      /needs Node\.js 20\.18\.1 or newer, and there is no "node\.exe" in PATH/,
    );
  }

  const plain = await machine.start(launcher, [], { env: launch });
  expectText(plain.text, /^On Windows this provider needs TLS/m);

  // Terraform is gone at once, and the provider has no connection by which it would notice.
  const line = join(machine.work, "line");
  const script = join(machine.work, "parent.cjs");
  writeFileSync(
    script,
    `const { openSync, readFileSync, writeFileSync } = require("node:fs");
const [launcher, line, end] = process.argv.slice(2);
const out = openSync(line, "w");
require("node:child_process").spawn(launcher, [], {
  // Else Node.js itself ends it.
  detached: true,
  // Wine prints errors of its own to standard error.
  stdio: ["ignore", out, "inherit"],
});
// As soon as the provider listens.
setInterval(() => {
  if (!readFileSync(line, "utf8").includes("|grpc|")) return;
  writeFileSync(end, String(Date.now()));
  process.kill(process.pid, "SIGKILL");
}, 100);
setTimeout(() => process.exit(1), ${GONE_MS});
`,
  );
  const end = join(machine.work, "end");
  const args = [script, launcher, line, end].map(machine.pathThere);
  const env = { ...launch, PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem };
  const { NODE_OPTIONS, ...own } = env;
  const parent = await machine.start("node.exe", args, { env: own });
  if (!existsSync(end)) throw new Error(`The provider does not start:\n${parent.text}`);
  expectText(readFileSync(line, "utf8"), /^1\|6\|tcp\|127\.0\.0\.1:\d+\|grpc\|/);
  const providers = () =>
    markedProcesses(machine.marker).filter(({ command }) => command.includes("main.cjs"));
  // On a busy machine they may be over when this program sees the end of the parent.
  const isEarly = (): boolean => Date.now() - Number(readFileSync(end, "utf8")) < 8_000;
  if (providers().length === 0 && isEarly())
    throw new Error("The provider is not given its ten seconds.");
  const began = performance.now();
  while (providers().length > 0 && performance.now() - began < GONE_MS) await wait(200);
  if (providers().length > 0) throw new Error("The provider lives on without its Terraform.");
}

function expectText(text: string, expected: RegExp): void {
  if (!expected.test(text)) throw new Error(`${expected} is not in:\n${text}`);
}
