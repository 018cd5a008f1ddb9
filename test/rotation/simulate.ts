import { whyRotationIsDue } from "../../lib/rotation/rotation-due";
import { pushedRotationOf, rotateWhenRemainingOf } from "../../lib/rotation/rotation-plan";
import type { RotationSettings } from "../../lib/rotation/rotation-settings";
import { whyTokenIsDue } from "../../lib/rotation/token-due";
import { toRfc3339 } from "../../lib/tokens";

/** How a token rotates: in the state by itself, or pushed into another system by `iam_rotation`. */
export type Rule =
  | {
      readonly kind: "in state";
      readonly lifetimeMs: number;
      readonly rotateWhenRemainingMs: number;
    }
  | {
      readonly kind: "pushed";
      readonly lifetimeMs: number;
      readonly rotateEveryMs: number;
      readonly minRemainingMs: number;
    };

/** The rule that the arithmetic gives for a schedule. */
export function plannedRule(settings: RotationSettings, kind: Rule["kind"]): Rule {
  const { lifetimeMs } = settings;
  return kind === "in state"
    ? { kind, lifetimeMs, rotateWhenRemainingMs: rotateWhenRemainingOf(settings) }
    : { kind, lifetimeMs, ...pushedRotationOf(settings) };
}

/** A run of the pipeline. Times in milliseconds, whole seconds, by the clock of the service. */
export interface Run {
  /** `failed`: it failed after it had issued the tokens that were due. */
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
  readonly heldUntil: number;
}

/** Plays runs in their order by the provider's own rules. Returns the tokens of the consumers. */
export function simulate(rule: Rule, runs: readonly Run[]): readonly HeldToken[] {
  const held: { expiresAt: number; heldUntil: number }[] = [];
  const play = rule.kind === "in state" ? inState(rule) : pushed(rule);
  for (const run of runs) {
    if (run.outcome === "missed") continue;
    const expiresAt = play(run);
    const last = held.at(-1);
    if (run.outcome === "failed" || expiresAt === undefined) continue;
    if (last !== undefined) last.heldUntil = run.endedAt;
    if (last?.expiresAt !== expiresAt) held.push({ expiresAt, heldUntil: run.endedAt });
  }
  return held;
}

/** Returns the end of the token that consumers have after a run; undefined without one. */
type Player = (run: Run) => number | undefined;

function inState({ lifetimeMs, rotateWhenRemainingMs }: Rule & { kind: "in state" }): Player {
  const demands = { rotateWhenRemainingMs, minRemainingMs: null };
  let state = {};
  let expiresAt: number | undefined;
  return ({ startedAt, issuedAt, clockAheadMs }) => {
    const isDue = whyTokenIsDue(state, demands, startedAt + clockAheadMs) !== undefined;
    // The provider refuses a token that would be due at once.
    if (isDue && rotateWhenRemainingMs < lifetimeMs) {
      expiresAt = issuedAt + lifetimeMs;
      state = {
        ...{ token: "t", header_name: "X-Auth-Token", headers: { "X-Auth-Token": "t" } },
        ...{ issued_at: toRfc3339(issuedAt), expires_at: toRfc3339(expiresAt) },
      };
    }
    return expiresAt;
  };
}

function pushed({ lifetimeMs, rotateEveryMs, minRemainingMs }: Rule & { kind: "pushed" }): Player {
  let state = {};
  /** Undefined if a rotation was noted and its token must still be pushed. */
  let expiresAt: number | undefined;
  return ({ outcome, startedAt, issuedAt, notedAt, clockAheadMs, cachedForMs }) => {
    if (whyRotationIsDue(state, rotateEveryMs, startedAt + clockAheadMs) !== undefined) {
      const noted = notedAt + clockAheadMs;
      state = { rotated_at: toRfc3339(noted), rotate_at: toRfc3339(noted + rotateEveryMs) };
      expiresAt = undefined;
    }
    const age = Math.min(cachedForMs, Math.max(0, lifetimeMs - minRemainingMs));
    if (outcome === "applied") expiresAt ??= issuedAt - age + lifetimeMs;
    return expiresAt;
  };
}
