import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { hasTerraform, startTerraform } from "../support/terraform";
import { environmentAt, underLoad } from "./service-under-load";

const OPENS_A_PLAN = 100;
const PLANS = 10;
/** Of each open, at most. */
const KEPT_BYTES = 2_000;

const CONFIGURATION = `ephemeral "iam_token" "it" {
  count        = ${OPENS_A_PLAN}
  scope        = "project"
  project_name = "project-0"
}
terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}
`;

describeIf(hasTerraform(), "there is no Terraform here")("the provider of iam-tokens run", () => {
  test("keeps nothing of an open: 1,000 in ten plans, with one request", async () => {
    const scratch = makeScratch();
    await underLoad(1, async ({ authUrl }) => {
      const provider = fork(join(packageRoot, "dist/cli/attached.js"), ['{"remember":true}'], {
        execArgv: ["--expose-gc", "--require", join(__dirname, "heap-on-signal.cjs")],
        env: { ...scratch.env, ...environmentAt(authUrl) },
      });
      const message = async () => (await once(provider, "message"))[0];
      try {
        const { reattach } = await message();
        const env = {
          TF_REATTACH_PROVIDERS: JSON.stringify({ "npm.invalid/cdktf-iam-tokens/iam": reattach }),
        };
        const terraform = async (command: string) => {
          const run = await startTerraform(scratch.folder, [command], { scratch, env }).finished;
          if (run.exitCode !== 0) throw new Error(run.text.slice(-4_000));
        };
        writeFileSync(join(scratch.folder, "main.tf"), CONFIGURATION);
        await terraform("init");
        const bytes: number[] = [];
        for (let plan = 0; plan < PLANS; plan += 1) {
          await terraform("plan");
          provider.kill("SIGUSR2");
          bytes.push(await message());
        }
        // The first plan loads code; and a connection may end a moment after its plan.
        const least = (from: number) => Math.min(...bytes.slice(from, from + 3));
        const opens = (PLANS - 4) * OPENS_A_PLAN;
        expect((least(PLANS - 3) - least(1)) / opens).toBeLessThan(KEPT_BYTES);
        provider.send({ type: "close" });
        expect((await message()).usage.total).toMatchObject({ uses: 1_000, requests: 1 });
      } finally {
        provider.kill("SIGKILL");
        scratch.remove();
      }
    });
  }, 300_000);
});
