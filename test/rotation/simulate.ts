import type { RotationRule as Rule } from "../../lib/rotation/rotation-rule";

/**
 * A past run of the pipeline. Times in milliseconds since some start, by the clock of the identity
 * service.
 */
export interface Run {
  /** The planned start; for a manual run, the real one. */
  readonly plannedAt: number;
  readonly byHand: boolean;
  /**
   * `missed`: it did not start, or failed before it did anything. `failed`: it failed after it had
   * issued the tokens that were due.
   */
  readonly outcome: "applied" | "missed" | "failed";
  /** When it makes the plan. */
  readonly startedAt: number;
  /** When it issues a token, if it issues one. */
  readonly issuedAt: number;
  /** When `iam_rotation` stores the time of a rotation, if it rotates. */
  readonly notedAt: number;
  /** When the last consumer has the token that the run issued. */
  readonly endedAt: number;
  /** How far the clock of the run's machine is ahead of the service's. */
  readonly clockAheadMs: number;
  /** Age of the token from a cache, if one may replace a new token: for pushed tokens only. */
  readonly cachedForMs: number;
}

/** A token that consumers had. */
export interface HeldToken {
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** From this time on, all consumers have it. */
  readonly heldFrom: number;
  /** Until this time, the last of them has it; until the end, if they still have it. */
  readonly heldUntil: number;
}

/**
 * Result of a run: `failed` also if the provider refused the new token because it would be due at
 * once.
 */
type RunResult = "rotated" | "nothing was due" | "missed" | "failed";

/** Result of the runs. */
export interface Simulation {
  readonly runs: readonly (Run & { readonly result: RunResult })[];
  readonly tokens: readonly HeldToken[];
  /** Times in which a consumer had an expired token. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

/** Simulates runs in their order, with the effects on the provider and its consumers. Pure. */
export function simulate(rule: Rule, runs: readonly Run[]): Simulation {
  const store = rule.kind === "in state" ? new InState(rule) : new Pushed(rule);
  const played: (Run & { result: RunResult })[] = [];
  const tokens: HeldToken[] = [];
  let held: { token: Issued; from: number } | undefined;
  for (const run of runs) {
    const result = run.outcome === "missed" ? "missed" : store.plan(run);
    played.push({ ...run, result: run.outcome === "failed" ? "failed" : result });
    if (run.outcome !== "applied") continue;
    const token = store.delivered(run);
    if (token === undefined || token === held?.token) continue;
    if (held !== undefined)
      tokens.push({ ...held.token, heldFrom: held.from, heldUntil: run.endedAt });
    held = { token, from: run.endedAt };
  }
  const heldUntil = runs.at(-1)?.endedAt ?? 0;
  if (held !== undefined) tokens.push({ ...held.token, heldFrom: held.from, heldUntil });
  return {
    runs: played,
    tokens,
    gaps: tokens
      .filter(({ expiresAt, heldUntil }) => heldUntil > expiresAt)
      .map(({ expiresAt, heldUntil }) => ({ from: expiresAt, to: heldUntil })),
  };
}

interface Issued {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/**
 * `resource "iam_token"`: the plan computes the remaining lifetime from the service's expiry time.
 */
class InState {
  private token: Issued | undefined;

  constructor(private readonly rule: Extract<Rule, { kind: "in state" }>) {}

  plan({ startedAt, issuedAt, clockAheadMs }: Run): RunResult {
    const { lifetimeMs, rotateWhenRemainingMs } = this.rule;
    const due =
      this.token === undefined ||
      this.token.expiresAt - (startedAt + clockAheadMs) < rotateWhenRemainingMs;
    if (!due) return "nothing was due";
    // The provider refuses a token that would be due at once: every run would rotate it.
    if (lifetimeMs <= rotateWhenRemainingMs) return "failed";
    this.token = { issuedAt, expiresAt: issuedAt + lifetimeMs };
    return "rotated";
  }

  /** The consumers' token after a run: the one in state, if there is one. */
  delivered(): Issued | undefined {
    return this.token;
  }
}

/** `resource "iam_rotation"`, whose number triggers the push of a token. */
class Pushed {
  private notedAt: number | undefined;
  /** The pushed token; undefined if a rotation was noted and its token must still be pushed. */
  private pushed: Issued | undefined;

  constructor(private readonly rule: Extract<Rule, { kind: "pushed" }>) {}

  plan({ startedAt, notedAt, clockAheadMs }: Run): RunResult {
    const due =
      this.notedAt === undefined ||
      startedAt + clockAheadMs - this.notedAt >= this.rule.rotateEveryMs;
    if (!due) return "nothing was due";
    this.notedAt = notedAt + clockAheadMs;
    this.pushed = undefined;
    return "rotated";
  }

  /** The consumers' token after a run; it is pushed now if an earlier run failed to push it. */
  delivered({ issuedAt, cachedForMs }: Run): Issued {
    const { lifetimeMs, minRemainingMs } = this.rule;
    const age = Math.min(cachedForMs, Math.max(0, lifetimeMs - minRemainingMs));
    this.pushed ??= { issuedAt: issuedAt - age, expiresAt: issuedAt - age + lifetimeMs };
    return this.pushed;
  }
}
