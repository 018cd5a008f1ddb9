import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TerraformStack } from "cdktf";
import { ProductApi } from "../../examples/demo/product-api";
import {
  IdentityService,
  RotationHook,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenOutputs,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { scanForLeaks } from "../../lib/testing";
import { PASSWORD, RotationStage } from "../scenarios/rotation/rotation-stage";
import { StackOf } from "../scenarios/stacks";
import { StoreProvider, StoreSecret } from "../scenarios/store/constructs";
import { hasGo } from "../support/go-build";
import { installProvider } from "../support/go-providers";
import { testIf } from "../support/skips";
import { synthApp } from "../support/synth";
import { hasTerraform } from "../support/terraform";

jest.setTimeout(240_000);

const SECOND = 1000;
/** Tokens that live fifty seconds, and a run every ten. */
const LIFETIME_SECONDS = 50;
const INTERVAL_SECONDS = 10;
const START_DELAY_SECONDS = 3;
const APPLY_SECONDS = 5;
const SCHEDULE = RotationSchedule.every(`${INTERVAL_SECONDS}s`, {
  missedRuns: 1,
  startDelay: `${START_DELAY_SECONDS}s`,
  longestApply: `${APPLY_SECONDS}s`,
  clockUncertainty: "1s",
  lifetime: `${LIFETIME_SECONDS}s`,
});
/** The last one is as late and as long as it may be, after one that was missed. */
const APPLIES = 21;

/**
 * The fate of a run: missed, or how late it starts and how long its apply takes. Every kind comes,
 * including the worst. After two runs that leave a token alone one is missed: a token that was
 * pushed half used up, out of a cache, would be dead by then.
 */
function fateOf(run: number): { readonly delay: number; readonly apply: number } | "missed" {
  // Never two in a row, and not the first.
  if (run % 5 === 4) return "missed";
  return { delay: (run * 3) % (START_DELAY_SECONDS + 1), apply: (run * 5) % (APPLY_SECONDS + 1) };
}

describe("scheduled runs", () => {
  let stage: RotationStage;
  let api: ProductApi;

  beforeEach(async () => {
    stage = await RotationStage.open({ tokenLifetimeSeconds: LIFETIME_SECONDS });
    api = await ProductApi.start({
      identity: stage.identity,
      accountId: "123456",
      staticTokens: [],
      demands: { "/account": { kind: "iam_token_account_scoped" } },
    });
  });
  afterEach(async () => {
    await api.stop();
    await stage.close();
  });

  /** A token that is pushed into the store, one that stays in the state, and a hook on each. */
  function declare(stack: TerraformStack): void {
    const identity = new IdentityService(stack, "identity", {
      authUrl: stage.identity.authUrl,
      accountId: "123456",
      serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const scope = TokenScope.account();
    const rotation = new TokenRotation(stack, "rotation", { schedule: SCHEDULE });
    const pushed = new ServiceUserToken(stack, "pushed", { identity, scope, rotateWith: rotation });
    new StoreProvider(stack, "store", stage.path("store"));
    const secret = new StoreSecret(stack, "secret", {
      name: "token",
      value: pushed.value,
      version: pushed.rotation,
    });
    const command = 'echo "$IAM_TOKEN_HEADER" >> "$JOURNAL"';
    new RotationHook(stack, "told", {
      token: pushed,
      command,
      environment: { JOURNAL: stage.path("told") },
      dependsOn: [secret],
    });
    const kept = new ServiceUserToken(stack, "kept", {
      identity,
      scope,
      resolution: TokenResolution.ROTATING,
      schedule: SCHEDULE,
    });
    new TokenOutputs(stack, "ci", { token: kept });
    new RotationHook(stack, "kept-hook", {
      token: kept,
      command: `${command}; echo "$IAM_TOKEN" >> "$JOURNAL-tokens"`,
      environment: { JOURNAL: stage.path("kept") },
    });
  }

  testIf(
    hasTerraform() && hasGo(),
    "there is no Terraform here, or no Go to build hashicorp/null with",
  )(
    "with missed, late and slow ones between them: no call of a consumer is refused, and hooks run once for each rotation",
    async () => {
      const app = synthApp((root) => void new StackOf(root, "main", declare));
      copyFileSync(join(app.stackFolder("main"), "cdk.tf.json"), stage.path("cdk.tf.json"));
      app.remove();
      await installProvider(stage.folder, "null", "3.2.4");
      await stage.succeed("init");
      const began = stage.now;
      const statuses: number[] = [];
      const texts: Record<string, string> = {};
      let held: readonly string[] = [];

      /** Time passes, and both consumers call once a second with what they have. */
      const waitUntil = async (time: number) => {
        while (stage.now < time) {
          stage.now += SECOND;
          for (const token of held)
            statuses.push(
              (await fetch(`${api.url}/account`, { headers: { "X-Auth-Token": token } })).status,
            );
        }
      };
      let applies = 0;
      for (let run = 0; applies < APPLIES; run += 1) {
        await waitUntil(began + run * INTERVAL_SECONDS * SECOND);
        const outcome = fateOf(run);
        if (outcome === "missed") continue;
        const started = stage.now + outcome.delay * SECOND;
        await waitUntil(started);
        await stage.succeed("plan", "-out=saved");
        await waitUntil(started + outcome.apply * SECOND);
        // A trace of each kind of run is enough: it takes longer than the run.
        const applied = await stage.run(["apply", "saved"], applies < 6 ? { TF_LOG: "TRACE" } : {});
        expect({ run, exitCode: applied.exitCode }).toEqual({ run, exitCode: 0 });
        texts[`run ${run}`] = applied.text;
        applies += 1;
        const { ci_value } = JSON.parse(stage.state()).outputs;
        held = [readFileSync(stage.path("store/token"), "utf8"), ci_value.value];
      }

      const refused = statuses.filter((status) => status !== 200).length;
      expect({ applies, refused }).toEqual({ applies: APPLIES, refused: 0 });
      // Two consumers, a call a second each, over all the time but the first seconds.
      expect(statuses.length).toBeGreaterThan(2 * (APPLIES - 1) * INTERVAL_SECONDS);
      const lines = (name: string) => readFileSync(stage.path(name), "utf8").trimEnd().split("\n");
      const { rotation } = stage.instance("iam_rotation").attributes;
      // As late as it can, and not at every run.
      expect(rotation).toBeGreaterThan(6);
      expect(rotation).toBeLessThan(APPLIES);
      expect(lines("told")).toEqual(Array(rotation).fill("X-Auth-Token"));
      expect(stage.instance("store_secret").attributes.pushes).toBe(rotation);
      expect(lines("kept")).toHaveLength(stage.instance("iam_token").attributes.rotation);

      const kept = new Set(lines("kept-tokens"));
      const pushed = stage.identity.issuedTokens().filter((token) => !kept.has(token));
      const canaries = {
        password: PASSWORD,
        ...Object.fromEntries(pushed.map((token, index) => [`token ${index}`, token])),
      };
      expect(
        scanForLeaks({ canaries, texts: { ...texts, state: stage.state() } }).findings,
      ).toEqual([]);
    },
  );
});
