import * as fc from "fast-check";
import type { CtyObject } from "../../lib/plugin/cty/value";
import { rotationPlanOf } from "../../lib/rotation/rotation-plan";
import { toRotationSettings } from "../../lib/rotation/rotation-settings";
import { formatExact, IamTokensError, Secret } from "../../lib/tokens";
import { prepare, T0 } from "../provider/objects/prepared";
import { expectOften } from "../support/expect-often";
import { fuzz } from "../support/fuzz";
import { DAY, HOUR, seeded } from "./runs";

const SETTINGS = toRotationSettings(6 * HOUR, {});
const THRESHOLD = formatExact(rotationPlanOf(SETTINGS, "readBack").rotateWhenRemainingMs);
const DAYS = 50;
const STEP = HOUR / 2;

/** A service that ends tokens behind everybody's back, and is down at times. */
class Service {
  isDown = false;
  #issued = 0;
  readonly #ends = new Map<string, number>();

  issue(now: number) {
    const token = `token-${++this.#issued}`;
    this.#ends.set(token, now + DAY);
    return { token: Secret.of(token), issuedAt: new Date(now), expiresAt: new Date(now + DAY) };
  }

  knows(token: unknown, now: number): boolean {
    return now < (this.#ends.get(String(token)) ?? 0);
  }

  /** A token is revoked, or all are, by another password. */
  end(token: unknown): void {
    if (token === undefined) this.#ends.clear();
    else this.#ends.delete(String(token));
  }
}

/**
 * Fifty days of re-applies by the provider's own objects: runs are missed, tokens revoked,
 * passwords changed, and the service is down, by chance. Returns how long, at most, the consumers
 * of the state had no working token while the service would have issued one.
 */
async function longestGap(seed: number, verify: boolean): Promise<number> {
  const random = seeded(seed);
  const service = new Service();
  const { identity, clock, resource, context, plan, apply } = prepare();
  const down = () => Promise.reject(new IamTokensError("ERR_SERVICE_FAILED", "It answered 503."));
  identity.onIssue = async () => (service.isDown ? down() : service.issue(clock.now));
  let held: CtyObject | undefined;
  identity.onValidate = async () => {
    if (service.isDown) return down();
    return service.knows(held?.token, clock.now) ? "alive" : "refused";
  };
  const config: CtyObject = {
    scope: "account",
    rotate_when_remaining: THRESHOLD,
    verify_at_refresh: verify || null,
  };
  let privateData: Uint8Array = Buffer.of();
  const run = async (): Promise<void> => {
    const stored = held && { state: held, private: privateData };
    const read = stored && (await resource.read?.(stored, context));
    const prior = read?.state ?? held ?? null;
    const noted = read?.private ?? privateData;
    if ((await plan(prior, config, noted)).planned === prior) return;
    const applied = await apply(prior, config, noted);
    if (applied.state === undefined) return;
    held = applied.state;
    privateData = applied.private ?? privateData;
  };
  await run();
  let [gap, longest, missed] = [0, 0, 0];
  for (let time = STEP; time < DAYS * DAY; time += STEP) {
    clock.now = T0 + time;
    if (random() < 0.004) service.end(random() < 0.5 ? held?.token : undefined);
    if (random() < 0.01) service.isDown = !service.isDown;
    if (service.isDown && random() < 0.2) service.isDown = false;
    if (time % SETTINGS.intervalMs === 0) {
      // As many in a row as the schedule tolerates.
      missed = missed < SETTINGS.missedRuns && random() < 0.2 ? missed + 1 : 0;
      if (missed === 0) await run();
    }
    // While it is down, the service allows no token; a run that met it comes again at the next
    // time.
    gap = service.knows(held?.token, clock.now) || service.isDown ? 0 : gap + STEP;
    longest = Math.max(longest, gap);
  }
  return longest;
}

/** Until the next run that is not missed. */
const ONE_INTERVAL = (SETTINGS.missedRuns + 1) * SETTINGS.intervalMs;

test("with verify_at_refresh, no consumer is without a working token for longer than to the next run that is not missed", async () => {
  const property = fc.asyncProperty(fc.integer(), async (seed) => {
    expectOften(await longestGap(seed, true)).toBeLessThanOrEqual(ONE_INTERVAL);
  });
  await fc.assert(property, fuzz(5));
});

test("without it, consumers wait until the clock says that the token is due, up to 18 hours", async () => {
  let longest = 0;
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    longest = Math.max(longest, await longestGap(seed, false));
  // The figure of docs/rotating-resources.md.
  expect(longest).toBeGreaterThan(17 * HOUR);
  expect(longest).toBeLessThanOrEqual(18 * HOUR);
});
