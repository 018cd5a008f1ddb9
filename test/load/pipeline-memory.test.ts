import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { hasTerraform } from "../support/terraform";
import { planOf } from "./plans";
import { environmentAt, underLoad } from "./service-under-load";

const OPENS_A_PLAN = 100;
const PLANS = 10;
/** Of each open, at most. */
const KEPT_BYTES = 2_000;

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
        const plan = await planOf(OPENS_A_PLAN, "project-0", { scratch, env });
        const bytes: number[] = [];
        for (let count = 0; count < PLANS; count += 1) {
          await plan();
          provider.kill("SIGUSR2");
          bytes.push(await message());
        }
        // The first plan loads code; and a connection may end a moment after its plan.
        const least = (from: number) => Math.min(...bytes.slice(from, from + 3));
        const opens = (PLANS - 4) * OPENS_A_PLAN;
        expect((least(PLANS - 3) - least(1)) / opens).toBeLessThan(KEPT_BYTES);
        provider.send({ type: "end" });
        expect((await message()).usage).toMatchObject({ uses: 1_000, requests: 1 });
      } finally {
        provider.kill("SIGKILL");
        scratch.remove();
      }
    });
  }, 300_000);
});
