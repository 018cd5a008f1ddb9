import type { CtyObject } from "../../lib/plugin/cty/value";
import { RECIPES, type Recipe, rotationPlanOf } from "../../lib/rotation/rotation-plan";
import { toRotationSettings } from "../../lib/rotation/rotation-settings";
import { formatExact, Secret } from "../../lib/tokens";
import { prepare } from "../provider/objects/prepared";
import { DAY, HOUR } from "./runs";

/** How a token reaches its readers. */
export interface Way {
  /** Whose numbers it rotates by. */
  readonly recipe: Recipe;
  /** A command pushes it: one that fails is run again by the next run. */
  readonly hook?: true;
  readonly verify?: true;
  /** The plan does not look at the store after all. */
  readonly blind?: true;
}

/** A run every three hours, with the default settings. */
export const SETTINGS = toRotationSettings(3 * HOUR, {});
export const STEP = HOUR / 2;

/** A service that ends tokens behind everybody's back. */
class Service {
  #issued = 0;
  readonly #ends = new Map<string, number>();

  issue(now: number): string {
    const token = `token-${++this.#issued}`;
    this.#ends.set(token, now + DAY);
    return token;
  }

  knows(token: string | undefined, now: number): boolean {
    return now < (this.#ends.get(token ?? "") ?? 0);
  }

  /** A token is revoked, or all are, by another password. */
  end(token?: string): void {
    if (token === undefined) this.#ends.clear();
    else this.#ends.delete(token);
  }
}

/** What happens to a run that has to push. */
export type Outcome = "applied" | "missed" | "its push fails";

/**
 * Runs by the provider's own objects, and a store. The store's provider saves what was
 * planned although its write failed, and reads nothing back, unless the recipe says so.
 */
export class Pipeline {
  readonly service = new Service();
  /** What the store held after each run. */
  readonly #held: string[] = [""];
  readonly #tools: ReturnType<typeof prepare>;
  readonly #config: CtyObject;
  #state: CtyObject | null = null;
  #private: Uint8Array = Buffer.of();
  /** What the state says that the store has. */
  #saved: unknown;

  constructor(private readonly way: Way) {
    const { pushed } = RECIPES[way.recipe];
    const plan = rotationPlanOf(SETTINGS, way.recipe);
    this.#tools = prepare({ type: pushed ? "iam_rotation" : "iam_token" });
    this.#config = pushed
      ? { rotate_every: formatExact(plan.rotateEveryMs) }
      : {
          scope: "account",
          rotate_when_remaining: formatExact(plan.rotateWhenRemainingMs),
          verify_at_refresh: way.verify ?? null,
        };
    const { identity, clock } = this.#tools;
    identity.onIssue = async () => ({
      token: Secret.of(this.service.issue(clock.now)),
      issuedAt: new Date(clock.now),
      expiresAt: new Date(clock.now + DAY),
    });
    identity.onValidate = async () =>
      this.service.knows(identity.asked.at(-1)?.token, clock.now) ? "alive" : "refused";
  }

  get store(): string {
    return this.#held.at(-1) ?? "";
  }

  get works(): boolean {
    return this.service.knows(this.store, this.#tools.clock.now);
  }

  /** The store is as it was a day ago. */
  restore(): void {
    this.#held.push(this.#held.at(-1 - DAY / SETTINGS.intervalMs) ?? "");
  }

  wait(): void {
    this.#tools.clock.now += STEP;
  }

  /** A run, and whether it had to push. */
  async run(outcome: Outcome): Promise<boolean> {
    const { clock, refresh, plan, apply } = this.#tools;
    const { recipe, hook, blind } = this.way;
    const { pushed } = RECIPES[recipe];
    const fresh = pushed ? this.service.issue(clock.now) : "";
    const looks = { stored_token_wo: this.store, pushed_token_wo: fresh };
    const isLooking = recipe === "stored" && !blind;
    const config: CtyObject = { ...this.#config, ...(isLooking ? looks : {}) };
    const wanted = () => (pushed ? this.#state?.version : this.#state?.token);
    const read = this.#state && (await refresh(this.#state, this.#private));
    const [prior, noted] = [read?.state ?? this.#state, read?.private ?? this.#private];
    const { planned } = await plan(prior, config, noted);
    const rotates = planned?.rotation !== prior?.rotation;
    if (recipe === "readBack") this.#saved = this.store;
    const hasToPush = rotates || this.#saved !== wanted();
    if (!hasToPush || outcome === "missed") {
      this.#held.push(this.store);
      return hasToPush;
    }
    if (rotates) {
      const { state, private: written } = await apply(prior, config, noted);
      this.#state = state ?? null;
      this.#private = written ?? noted;
    }
    const isWritten = outcome === "applied";
    // A hook that fails is tainted.
    if (isWritten || !hook) this.#saved = wanted();
    const token = pushed ? fresh : String(wanted());
    this.#held.push(isWritten ? token : this.store);
    return true;
  }
}
