// The commands of the package on Windows: most work, and the others give the reason.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import { EmbeddedProvider } from "../../lib/constructs/embedded-provider";
import { packageVersion } from "../../lib/delivery/package-root";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { packageRoot } from "../support/project";
import type { Ended } from "./machine";
import type { WineMachine } from "./under-wine";

/** Rejects with every difference. */
export async function checkCommands(machine: WineMachine): Promise<void> {
  const { work, pathThere } = machine;
  const program = (path: string): string => pathThere(join(packageRoot, "dist", path));
  const command = (folder: string, ...args: readonly string[]): Promise<Ended> =>
    machine.start("node.exe", [program("cli/main.js"), ...args], { cwd: folder });

  const run = await command(work, "run", "--", "terraform", "version");
  expectEnd(run, 1, /^On Windows iam-tokens run .* \[ERR_RUN_UNSUPPORTED\]/m);

  expectEnd(await command(work, "schedule", "--every", "6h"), 0, /It leaves no gap\./);

  const mirror = join(work, "mirror of ü");
  expectEnd(await command(work, "install", pathThere(mirror)), 0, /%APPDATA%\\terraform\.rc/);
  const version = packageVersion();
  const launcher = `windows_amd64/terraform-provider-iam_v${version}.exe`;
  const installed = join(mirror, PROVIDER_SOURCE, version, launcher);
  if (!existsSync(installed)) throw new Error(`install has not made ${installed}.`);

  const device = `\\\\?\\${pathThere(join(work, "mirror of ä"))}`;
  expectEnd(await command(work, "install", device), 0, /^ {4}path {4}= "\\\\\\\\\?\\\\Z:.*ä"\r?$/m);
  for (const nowhere of ["Q:\\mirror", "\\\\localhost\\no-such-share\\mirror"])
    expectEnd(await command(work, "install", nowhere), 1, /cannot be written: .*ERR_WRITE_FAILED/);

  const outdir = join(work, "project of ü");
  mkdirSync(outdir);
  const app = new App({ outdir });
  EmbeddedProvider.getOrCreate(new TerraformStack(app, "stack"));
  app.synth();
  const stack = join(outdir, "stacks/stack");
  // Programs of the project: the doctor starts those of PATH.
  for (const name of ["node.exe", "terraform.exe"]) copyFileSync(installed, join(stack, name));
  const doctor = await command(work, "doctor", pathThere(stack));
  expectEnd(doctor, 1, /^node: well/m);
  expectEnd(doctor, 1, /^terraform: well/m);
  expectEnd(doctor, 1, /It was not initialized yet/m);

  // The identity server and a token of it, in one process: nothing outlives it.
  const script = join(work, "issue.cjs");
  writeFileSync(script, ISSUE);
  const args = [script].map(pathThere);
  const issued = await machine.start("node.exe", [
    ...args,
    program("testing/index.js"),
    program("cli/main.js"),
  ]);
  expectEnd(issued, 0, /^X-Auth-Token: \S+\r?\nvalid: true/m);
}

const ISSUE = `const [testing, cli] = process.argv.slice(2);
const { spawn } = require("node:child_process");
async function main() {
  const { EmbeddedIdentityService } = require(testing);
  const password = require("node:crypto").randomUUID();
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password, permission: { account: true } }],
  });
  const child = spawn(process.execPath, [cli, "issue", "--scope", "account", "--header"], {
    env: {
      ...process.env,
      OS_AUTH_URL: identity.authUrl,
      OS_USERNAME: "deployer",
      OS_USER_DOMAIN_NAME: "123456",
      OS_PASSWORD: password,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => { text += chunk; });
  child.on("close", async () => {
    const [, token = ""] = text.trim().split(": ");
    console.log(text.trim());
    console.log("valid: " + identity.isValid(token));
    await identity.stop();
  });
}
void main();
`;

function expectEnd({ exitCode, text }: Ended, code: number, expected: RegExp): void {
  if (exitCode !== code || !expected.test(text))
    throw new Error(`${expected} and exit code ${code} are not in, with ${exitCode}:\n${text}`);
}
