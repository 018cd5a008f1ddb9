import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  IdentityService,
  RotationSchedule,
  SecretRef,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  TokenScope,
} from "../../lib";
import { installLocalProvider, removeLocalProviders } from "../scenarios/local-provider";
import { StackOf } from "../scenarios/stacks";
import { StoreProvider, StoreSecret } from "../scenarios/store/constructs";
import { makeScratch } from "../support/scratch";
import { testIf } from "../support/skips";
import { synthApp } from "../support/synth";
import { hasTerraform, runTerraform } from "../support/terraform";
import type { IdentityUnderTest } from "./identity-under-test";
import { request } from "./plain-request";
import { startRealKeystone, whyNoKeystone } from "./real-keystone";

jest.setTimeout(400_000);

const LIFETIME_SECONDS = 60;
const APPLIES = 30;
/**
 * Runs come one after the other, each within seconds: the interval is the longest that one may
 * take.
 */
const SCHEDULE = RotationSchedule.every("8s", {
  missedRuns: 0,
  startDelay: "0s",
  longestApply: "8s",
  clockUncertainty: "2s",
  lifetime: `${LIFETIME_SECONDS}s`,
});

const missing = whyNoKeystone() ?? (hasTerraform() ? undefined : "no Terraform");

/** Calls one after the other, with the token that is in the store then, until it is stopped. */
function startConsumer(keystone: IdentityUnderTest, file: string) {
  const statuses: number[] = [];
  let stopped = false;
  const calling = (async () => {
    while (!stopped) {
      const token = readFileSync(file, "utf8");
      const headers = { "X-Auth-Token": token, "X-Subject-Token": token };
      statuses.push(
        (await request(`${keystone.authUrl}/identity/v3/auth/tokens`, { headers })).status,
      );
      await wait(50);
    }
  })();
  return {
    async stop(): Promise<readonly number[]> {
      stopped = true;
      await calling;
      return statuses;
    },
  };
}

testIf(missing === undefined, missing ?? "")(
  "thirty applies one after the other on a real Keystone whose tokens live a minute: no call of a consumer is refused",
  async () => {
    const keystone = await startRealKeystone({ tokenSeconds: LIFETIME_SECONDS });
    const scratch = makeScratch();
    const store = join(scratch.folder, "store");
    const app = synthApp((root) => {
      new StackOf(root, "main", (stack) => {
        const identity = new IdentityService(stack, "identity", {
          authUrl: keystone.authUrl,
          accountId: keystone.accountId,
          serviceUser: { name: keystone.user, password: SecretRef.env("SERVICE_USER_PASSWORD") },
        });
        const scope = TokenScope.account();
        const rotateWith = new TokenRotation(stack, "rotation", { schedule: SCHEDULE });
        const pushed = new ServiceUserToken(stack, "pushed", { identity, scope, rotateWith });
        new StoreProvider(stack, "store", store);
        new StoreSecret(stack, "secret", {
          name: "token",
          value: pushed.value,
          version: pushed.rotation,
        });
        new ServiceUserToken(stack, "kept", {
          identity,
          scope,
          resolution: TokenResolution.ROTATING,
          schedule: SCHEDULE,
        });
      });
    });
    const folder = app.stackFolder("main");
    const terraform = async (...args: string[]) => {
      const env = { SERVICE_USER_PASSWORD: keystone.passwordOf(keystone.user) };
      const { exitCode, text } = await runTerraform(folder, args, { scratch, env });
      if (exitCode !== 0)
        throw new Error(`terraform ${args.join(" ")} ended with ${exitCode}:\n${text}`);
    };
    let consumer: ReturnType<typeof startConsumer> | undefined;
    try {
      installLocalProvider("store", folder);
      await terraform("init");
      const began = performance.now();
      let applies = 0;
      // Also half as long again as a token lives, however fast the machine is.
      while (applies < APPLIES || performance.now() - began < 1500 * LIFETIME_SECONDS) {
        await terraform("apply", "-auto-approve");
        applies += 1;
        consumer ??= startConsumer(keystone, join(store, "token"));
      }
      const statuses = (await consumer?.stop()) ?? [];
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(statuses.length).toBeGreaterThan(300);
      const { resources } = JSON.parse(readFileSync(join(folder, "terraform.tfstate"), "utf8")) as {
        readonly resources: readonly {
          readonly type: string;
          readonly instances: readonly { readonly attributes: { readonly rotation: number } }[];
        }[];
      };
      const rotations = ["iam_rotation", "iam_token"].map(
        (type) => resources.find((each) => each.type === type)?.instances[0]?.attributes.rotation,
      );
      for (const rotation of rotations) {
        expect(rotation).toBeGreaterThan(1);
        expect(rotation).toBeLessThan(applies);
      }
    } finally {
      await consumer?.stop();
      app.remove();
      removeLocalProviders();
      await keystone.stop();
      scratch.remove();
    }
  },
);
