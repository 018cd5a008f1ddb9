import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedIdentityService } from "../../lib/testing";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { hasTerraform, startTerraform } from "../support/terraform";
import { PASSWORD, USER } from "./service-under-load";

const OPENS_A_PLAN = 100;
const PLANS = 10;
/** Of each open, at most. */
const KEPT_BYTES = 2_000;

const CONFIGURATION = `terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}
ephemeral "iam_token" "it" {
  count = ${OPENS_A_PLAN}
  scope = "account"
}
`;

describeIf(hasTerraform(), "there is no Terraform here")("the provider of iam-tokens run", () => {
  test("keeps nothing of an open: 1,000 in ten plans, with one request", async () => {
    const scratch = makeScratch();
    const identity = await EmbeddedIdentityService.start({
      accountId: "123456",
      serviceUsers: [{ name: USER, password: PASSWORD, permission: { account: true } }],
    });
    const provider = fork(join(packageRoot, "dist/cli/attached.js"), ['{"remember":true}'], {
      execArgv: ["--expose-gc", "--require", join(__dirname, "heap-on-request.cjs")],
      env: {
        ...scratch.env,
        OS_AUTH_URL: identity.authUrl,
        OS_USER_DOMAIN_NAME: "123456",
        OS_USERNAME: USER,
        OS_PASSWORD: PASSWORD,
      },
    });
    /** The next message of a type. */
    const said = async (type: string) => {
      for (;;) {
        const [message] = await once(provider, "message");
        if (message.type === type) return message;
      }
    };
    const ask = (type: string) => {
      provider.send({ type });
      return said(type === "close" ? "closed" : type);
    };
    try {
      const { reattach } = await said("ready");
      const TF_REATTACH_PROVIDERS = JSON.stringify({
        "npm.invalid/cdktf-iam-tokens/iam": reattach,
      });
      const terraform = async (command: string) => {
        const env = { TF_REATTACH_PROVIDERS };
        const run = await startTerraform(scratch.folder, [command], { scratch, env }).finished;
        if (run.exitCode !== 0) throw new Error(run.text.slice(-4_000));
      };
      writeFileSync(join(scratch.folder, "main.tf"), CONFIGURATION);
      await terraform("init");
      const bytes: number[] = [];
      for (let plan = 0; plan < PLANS; plan += 1) {
        await terraform("plan");
        bytes.push((await ask("heap")).bytes);
      }
      process.stderr.write(`\nbytes after 100, 200, … opens: ${bytes.join(" ")}\n`);
      // The first plans load code; and a connection may end a moment after its plan.
      const [early, late] = [bytes.slice(1, 4), bytes.slice(-3)].map((some) => Math.min(...some));
      expect((await ask("close")).usage.total).toMatchObject({ uses: 1_000, requests: 1 });
      expect(((late ?? 0) - (early ?? 0)) / (6 * OPENS_A_PLAN)).toBeLessThan(KEPT_BYTES);
    } finally {
      provider.kill("SIGKILL");
      await identity.stop();
      scratch.remove();
    }
  }, 300_000);
});
