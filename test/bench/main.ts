/**
 * `npm run bench [ROUNDS]`: what the embedded provider costs, beside its floor, in one run. Only the ratios are to be kept:
 * absolute times are those of the machine.
 */
import { spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { App, DataResource, LocalBackend, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { createServerIdentity } from "../../lib/plugin/server/certificate";
import { EmbeddedIdentityService } from "../../lib/testing";
import { makeScratch, type Scratch } from "../support/scratch";
import { runTerraform } from "../support/terraform";
import { benchLaunchedPlans } from "./launched";
import { measure, table } from "./pairs";
import { SHAPES, synthesis, synthesisByCommandLine } from "./synthesis";

const TERRAFORM = join(__dirname, "../../dist/terraform");

async function main(rounds: number): Promise<void> {
  const scratch = makeScratch();
  const identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password: "bench-password", permission: { account: true } }],
  });
  try {
    console.log(`Node.js ${process.versions.node}, ${rounds} rounds, medians (least to most), ratio to the last line\n`);
    console.log("Start to the handshake line");
    const launcher = readdirSync(TERRAFORM).find((name) => name.startsWith("terraform-provider-iam_v")) ?? "";
    const start = [
      {
        name: "the first launch of a Terraform, whose server serves all",
        // By a parent of its own, as each Terraform is another.
        run: () => untilOutput("/bin/sh", ["-c", '"$0" & wait', join(TERRAFORM, launcher)], scratch, true),
      },
      {
        name: "a launch with a server of its own",
        run: () => untilOutput(join(TERRAFORM, launcher), [], scratch, true, { IAM_TOKENS_HANDOVER: "0" }),
      },
      { name: "node -e 0", run: () => untilOutput(process.execPath, ["-e", "0"], scratch, false) },
    ];
    for (const line of table(await measure(start, rounds))) console.log(line);

    console.log("\nterraform plan");
    const [token, none] = await stacks(identity.authUrl, scratch);
    const plan = (folder: string) => async () => {
      const { exitCode, durationMs, text } = await runTerraform(folder, ["plan"], {
        scratch,
        env: { SERVICE_USER_PASSWORD: "bench-password" },
      });
      if (exitCode !== 0) throw new Error(text);
      return durationMs;
    };
    const plans = [
      { name: "one ephemeral IAM token", run: plan(token) },
      { name: "no provider at all (terraform_data)", run: plan(none) },
    ];
    for (const line of table(await measure(plans, rounds))) console.log(line);

    await benchLaunchedPlans(scratch, rounds);

    for (const shape of SHAPES) {
      const what = `${shape.stacks} × ${shape.resources} resources`;
      for (const again of [false, true]) {
        console.log(`\nSynthesis of ${what}, ${again ? "again" : "into an empty folder"}`);
        for (const line of table(await measure(synthesis(scratch, shape, again), rounds))) console.log(line);
      }
      console.log(`\ncdktf synth of ${what}`);
      for (const line of table(await measure(synthesisByCommandLine(scratch, shape), Math.min(rounds, 5)))) console.log(line);
    }

    console.log("\nFiles of the provider");
    for (const name of readdirSync(TERRAFORM)) {
      console.log(`  ${name.padEnd(58)} ${String(statSync(join(TERRAFORM, name)).size).padStart(8)} bytes`);
    }
  } finally {
    await identity.stop();
    scratch.remove();
  }
}

/** Milliseconds from the start of a program to its first output, or to its end when it has none. */
function untilOutput(
  file: string,
  args: readonly string[],
  scratch: Scratch,
  output: boolean,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const env = { ...scratch.env, ...(output ? handshakeEnvironment() : {}), ...more };
  const started = performance.now();
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve, reject) => {
    let time: number | undefined;
    child.stdout.once("data", (line: Buffer) => {
      time = performance.now() - started;
      if (output && !line.toString().startsWith("1|6|unix|")) reject(new Error(line.toString()));
      child.kill("SIGTERM");
    });
    child.once("error", reject);
    child.once("close", () => resolve(time ?? performance.now() - started));
  });
}

let certificate: string | undefined;

/** What Terraform gives a provider. */
function handshakeEnvironment(): Record<string, string> {
  certificate ??= createServerIdentity().certificatePem;
  return {
    TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
    PLUGIN_PROTOCOL_VERSIONS: "5,6",
    PLUGIN_CLIENT_CERT: certificate,
  };
}

async function stacks(authUrl: string, scratch: Scratch): Promise<[string, string]> {
  const outdir = join(scratch.folder, "out");
  const app = new App({ outdir });
  const token = new TerraformStack(app, "token");
  const identity = new IdentityService(token, "identity", {
    authUrl,
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
  });
  new ServiceUserToken(token, "account", { identity, scope: TokenScope.account() });
  const none = new TerraformStack(app, "none");
  new DataResource(none, "nothing");
  for (const stack of [token, none]) new LocalBackend(stack, { path: "terraform.tfstate" });
  app.synth();
  const folders: [string, string] = [join(outdir, "stacks/token"), join(outdir, "stacks/none")];
  for (const folder of folders) await runTerraform(folder, ["init"], { scratch });
  return folders;
}

main(Number(process.argv[2] ?? 15)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
