import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedIdentityService } from "../../lib/testing";
import { startCommand } from "../support/command";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { terraformBinary, terraformEnvironment } from "../support/terraform";

export const OPENS_A_PLAN = 100;
export const PLANS = 10;

/**
 * The memory of the provider after each plan. Its process is the one that
 * TF_REATTACH_PROVIDERS names.
 */
const script = (terraform: string) => `
pid=$(echo "$TF_REATTACH_PROVIDERS" | sed 's/.*"Pid":\\([0-9]*\\).*/\\1/')
${terraform} init >/dev/null || exit 1
for plan in $(seq ${PLANS}); do
  ${terraform} plan -no-color >/dev/null || exit 1
  sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status >> memory
done`;

/**
 * Resident memory of the attached provider in kB, after 100, 200, … opens: real plans of Terraform
 * below one `iam-tokens run`.
 *
 * @throws Error unless one request has served them all
 */
export async function memoryOfPlans(): Promise<readonly number[]> {
  const scratch = makeScratch();
  const password = "load-password";
  const serviceUsers = [{ name: "deployer", password, permission: { account: true } }];
  const identity = await EmbeddedIdentityService.start({ accountId: "123456", serviceUsers });
  try {
    writeFileSync(
      join(scratch.folder, "main.tf"),
      'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n' +
        Array.from(
          { length: OPENS_A_PLAN },
          (_none, index) => `ephemeral "iam_token" "t${index}" {\n  scope = "account"\n}\n`,
        ).join(""),
    );
    const { exitCode, text } = await startCommand(
      process.execPath,
      [join(packageRoot, "dist/cli/main.js"), "run", "--", "sh", "-c", script(terraformBinary())],
      {
        cwd: scratch.folder,
        env: {
          ...terraformEnvironment(scratch),
          OS_AUTH_URL: identity.authUrl,
          OS_USER_DOMAIN_NAME: "123456",
          OS_USERNAME: "deployer",
          OS_PASSWORD: password,
        },
      },
    ).finished;
    if (exitCode !== 0 || !/uses: 1000, requests: 1, /.test(text)) throw new Error(text);
    return readFileSync(join(scratch.folder, "memory"), "utf8").trim().split("\n").map(Number);
  } finally {
    await identity.stop();
    scratch.remove();
  }
}
