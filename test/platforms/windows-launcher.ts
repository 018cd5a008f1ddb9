// The launcher for Windows alone, in situations that the probe does not reach.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  for (const name of ["main.cjs", "provider.cjs", "identity.cjs", "clouds.cjs"])
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
  expectText(plain.text, /^On Windows this provider needs TLS/);

  // Terraform is gone at once, and the provider has no connection by which it would notice.
  const line = join(machine.work, "line");
  const script = join(machine.work, "parent.cjs");
  writeFileSync(
    script,
    `const { openSync, readFileSync } = require("node:fs");
const out = openSync(process.argv[3], "w");
require("node:child_process").spawn(process.argv[2], [], {
  // Else Node.js itself ends it.
  detached: true,
  stdio: ["ignore", out, out],
});
// As soon as the provider listens.
setInterval(() => {
  if (readFileSync(process.argv[3], "utf8").includes("|grpc|")) process.kill(process.pid, "SIGKILL");
}, 100);
setTimeout(() => process.exit(1), 120000);
`,
  );
  const args = [script, launcher, line].map(machine.pathThere);
  const env = { ...launch, PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem };
  const { NODE_OPTIONS, ...own } = env;
  await machine.start("node.exe", args, { env: own });
  expectText(readFileSync(line, "utf8"), /^1\|6\|tcp\|127\.0\.0\.1:\d+\|grpc\|/);
  const providers = () =>
    markedProcesses(machine.marker).filter(({ command }) => command.includes("main.cjs"));
  if (providers().length === 0) throw new Error("The provider is not given its ten seconds.");
  const began = performance.now();
  while (providers().length > 0 && performance.now() - began < GONE_MS) await wait(200);
  if (providers().length > 0) throw new Error("The provider lives on without its Terraform.");
}

function expectText(text: string, expected: RegExp): void {
  if (!expected.test(text)) throw new Error(`${expected} is not in:\n${text}`);
}
