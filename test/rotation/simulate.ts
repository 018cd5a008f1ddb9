import type { CtyObject } from "../../lib/plugin/cty/value";
import { whyRotationIsDue } from "../../lib/rotation/rotation-due";
import {
  RECIPES,
  type Recipe,
  type RotationPlan,
  rotationPlanOf,
} from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { whyTokenIsDue } from "../../lib/rotation/token-due";
import { toRfc3339 } from "../../lib/tokens";

/** How a token rotates and reaches its consumer. */
export interface Rule extends RotationPlan {
  readonly recipe: Recipe;
  readonly lifetimeMs: number;
}

/** The rule that the arithmetic gives for a schedule, or one that is `late` by milliseconds. */
export function plannedRule(settings: RotationSettings, recipe: Recipe, late = 0): Rule {
  const { lifetimeMs } = settings;
  const plan = rotationPlanOf(settings, recipe);
  return {
    ...{ recipe, lifetimeMs, ...plan },
    rotateEveryMs: plan.rotateEveryMs + late,
    rotateWhenRemainingMs: plan.rotateWhenRemainingMs - late,
  };
}

/** A run of the pipeline. Times in milliseconds, whole seconds, by the clock of the service. */
export interface Run {
  /** `failed`: no consumer has got what it rotated. */
  readonly outcome: "applied" | "missed" | "failed";
  /** When it makes the plan. */
  readonly startedAt: number;
  /** When it issues a token, and when `iam_rotation` stores the time of a rotation. */
  readonly issuedAt: number;
  readonly notedAt: number;
  /** When the last consumer has the token that the run issued. */
  readonly endedAt: number;
  /** How far the clock of the run's machine is ahead of the service's. */
  readonly clockAheadMs: number;
  /** Age of the token from a cache, if one may replace a new token: for pushed tokens only. */
  readonly cachedForMs: number;
}

/** A run that takes no time, on a clock that is right. */
export function quickRun(at: number, more: Partial<Run> = {}): Run {
  const times = { startedAt: at, issuedAt: at, notedAt: at, endedAt: at };
  return { outcome: "applied", ...times, clockAheadMs: 0, cachedForMs: 0, ...more };
}

/** A token that consumers had, until the last of them got the next one. */
export interface HeldToken {
  readonly expiresAt: number;
  heldUntil: number;
}

/**
 * A pipeline, by the provider's own rules, and a consumer whose provider saves what was planned
 * although its update failed.
 */
export class Pipeline {
  readonly held: HeldToken[] = [];
  #state: CtyObject = {};
  #issued: HeldToken | undefined;

  constructor(private readonly rule: Rule) {}

  /** Whether a run would give consumers another token. */
  hasToPush(run: Run): boolean {
    return this.#isDue(run) || (RECIPES[this.rule.recipe].repeats && this.#isUndelivered());
  }

  /** Plays a run; runs come in their order. */
  play(run: Run): void {
    const last = this.held.at(-1);
    if (last !== undefined) last.heldUntil = run.endedAt;
    if (run.outcome === "missed" || !this.hasToPush(run)) return;
    // A token in the state is there already; a rotation that looks at the store makes another one.
    if (this.#isDue(run) || RECIPES[this.rule.recipe].pushed) this.#rotate(run);
    if (run.outcome === "applied" && this.#issued) this.held.push(this.#issued);
  }

  #isUndelivered(): boolean {
    return this.#issued !== this.held.at(-1);
  }

  #isDue({ startedAt, clockAheadMs }: Run): boolean {
    const { rotateEveryMs, rotateWhenRemainingMs } = this.rule;
    const now = startedAt + clockAheadMs;
    const demands = { rotateWhenRemainingMs, minRemainingMs: null };
    const why = RECIPES[this.rule.recipe].pushed
      ? whyRotationIsDue(this.#state, rotateEveryMs, now)
      : whyTokenIsDue(this.#state, demands, now);
    return why !== undefined;
  }

  #rotate({ issuedAt, notedAt, endedAt, clockAheadMs, cachedForMs }: Run): void {
    const { recipe, lifetimeMs, rotateEveryMs, minRemainingMs } = this.rule;
    const { pushed } = RECIPES[recipe];
    const age = pushed ? Math.min(cachedForMs, Math.max(0, lifetimeMs - minRemainingMs)) : 0;
    const expiresAt = issuedAt - age + lifetimeMs;
    this.#issued = { expiresAt, heldUntil: endedAt };
    const noted = notedAt + clockAheadMs;
    this.#state = {
      ...{ rotated_at: toRfc3339(noted), rotate_at: toRfc3339(noted + rotateEveryMs) },
      ...{ token: "t", header_name: "X-Auth-Token", headers: { "X-Auth-Token": "t" } },
      ...{ issued_at: toRfc3339(issuedAt), expires_at: toRfc3339(expiresAt) },
    };
  }
}

/** The least time that a token still lived when the last consumer had the next one. */
export const shortestOverlap = ({ held }: Pipeline) =>
  Math.min(...held.map(({ expiresAt, heldUntil }) => expiresAt - heldUntil));
