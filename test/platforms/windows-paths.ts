// Files with Windows paths and line endings; and a hook that was synthesized elsewhere.
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, TerraformStack } from "cdktf";
import {
  IdentityService,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenScope,
} from "../../lib";
import { createServerIdentity } from "../../lib/plugin/tls/server-identity";
import { startIdentity } from "../support/identity-service";
import type { WineMachine } from "./under-wine";

/** Rejects with every difference. */
export async function checkPaths(machine: WineMachine): Promise<void> {
  const { work, pathThere } = machine;
  const password = `canary-password-${randomBytes(12).toString("hex")}`;
  const identity = await startIdentity(password);
  try {
    const files = join(work, "files of ü");
    mkdirSync(files);
    const write = (name: string, text: string): string => {
      writeFileSync(join(files, name), text.replaceAll("\n", "\r\n"));
      return pathThere(join(files, name));
    };
    const secret = write("pass wörd.txt", `${password}\n`);
    const clouds = write(
      "clouds.yaml",
      `clouds:
  prod:
    auth:
      auth_url: ${identity.authUrl}
      username: deployer
      password: ${password}
      user_domain_name: "123456"
`,
    );
    const ca = write("ca.pem", createServerIdentity().certificatePem);
    const given = `auth_url = "${identity.authUrl}"
account_id = "123456"
user_name = "deployer"`;
    const folder = stackWith(work, (stack) => {
      void new IdentityService(stack, "identity", {
        authUrl: identity.authUrl,
        accountId: "123456",
        serviceUser: { name: "deployer", password: SecretRef.file(secret) },
        caFile: ca,
      });
    });
    const blocks = {
      drive: `${given}\npassword_file = ${JSON.stringify(secret)}\nca_file = ${JSON.stringify(ca)}`,
      slashes: `${given}\npassword_file = ${JSON.stringify(secret.replaceAll("\\", "/"))}`,
      unc: `${given}\npassword_file = ${JSON.stringify(`\\\\?\\${secret}`)}`,
      cloud: 'cloud = "prod"',
    };
    const plan = async (more: string, env: Readonly<Record<string, string>> = {}) => {
      writeFileSync(join(folder, "main.tf"), more);
      return machine.terraform(folder, ["plan", "-input=false", "-no-color"], env);
    };
    const token = (alias: string, block: string): string => `provider "iam" {
  alias = "${alias}"
${block}
}
data "iam_token" "${alias}" {
  provider = iam.${alias}
  scope    = "account"
}
`;
    writeFileSync(join(folder, "main.tf"), "");
    const init = await machine.terraform(folder, ["init", "-input=false", "-no-color"], {});
    if (init.exitCode !== 0) throw new Error(`init:\n${init.text}`);
    const all = Object.entries(blocks).map(([alias, block]) => token(alias, block));
    const planned = await plan(all.join(""), { OS_CLIENT_CONFIG_FILE: clouds });
    if (planned.exitCode !== 0) throw new Error(`The paths of Windows:\n${planned.text}`);
    const relative = `${given}\npassword_file = "Z:password.txt"`;
    expectFailure(await plan(token("relative", relative)), /folder that Windows/);
    expectFailure(await plan(hookOnWindows(work)), /ERR_HOOK_SHELL_MISSING/);
  } finally {
    await identity.stop();
  }
}

/** The condition of a hook that was synthesized here, on a resource that needs no provider. */
function hookOnWindows(work: string): string {
  let text = "";
  stackWith(work, (stack) => {
    const identity = new IdentityService(stack, "identity");
    const token = new ServiceUserToken(stack, "token", {
      identity,
      scope: TokenScope.account(),
      resolution: TokenResolution.rotating({ schedule: RotationSchedule.every("6h") }),
    });
    new RotationHook(stack, "hook", { token, command: "reload" });
    const { resource } = stack.toTerraform() as {
      resource: { null_resource: { hook: { lifecycle: { precondition: [Condition] } } } };
    };
    const [{ condition, error_message }] = resource.null_resource.hook.lifecycle.precondition;
    text = `resource "terraform_data" "hook" {
  lifecycle {
    precondition {
      condition     = ${condition.slice(2, -1)}
      error_message = ${JSON.stringify(error_message)}
    }
  }
}
`;
  });
  return text;
}

interface Condition {
  readonly condition: string;
  readonly error_message: string;
}

function stackWith(work: string, build: (stack: TerraformStack) => void): string {
  const outdir = join(work, `out of ü ${randomBytes(4).toString("hex")}`);
  const app = new App({ outdir });
  build(new TerraformStack(app, "paths"));
  app.synth();
  return join(outdir, "stacks/paths");
}

function expectFailure(
  { exitCode, text }: { readonly exitCode: number | null; readonly text: string },
  expected: RegExp,
): void {
  if (exitCode !== 1 || !expected.test(text.replace(/[│╷╵\s]+/g, " ")))
    throw new Error(`A plan that fails with ${expected}; it ended with ${exitCode}:\n${text}`);
}
