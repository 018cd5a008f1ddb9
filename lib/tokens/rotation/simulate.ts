/**
 * A run of the pipeline, as it went. Times in milliseconds since some start, by the clock of the
 * identity service.
 */
export interface Run {
  /** When it was to start; of a run by hand, when it did. */
  readonly plannedAt: number;
  readonly byHand: boolean;
  /**
   * `missed`: it did not start, or failed before anything was done. `failed`: it failed after it
   * had issued what was due.
   */
  readonly outcome: "applied" | "missed" | "failed";
  /** When it plans. */
  readonly startedAt: number;
  /** When it issues a token, if it does. */
  readonly issuedAt: number;
  /** When `iam_rotation` notes the time of a rotation, if it rotates. */
  readonly notedAt: number;
  /** When the last consumer has what the run has issued. */
  readonly endedAt: number;
  /** By how much the clock of the machine that runs it is ahead of the service's. */
  readonly clockAheadMs: number;
  /**
   * How old a token is that a cache hands out instead of a new one, if it may: of pushed tokens
   * only.
   */
  readonly cachedForMs: number;
}

/**
 * When the provider rotates: as a resource in state does, or as `iam_rotation` with an ephemeral
 * token that is pushed.
 */
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

/** A token that consumers had. */
export interface HeldToken {
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** From when on all consumers have it. */
  readonly heldFrom: number;
  /** Until when the last of them has it; until the end, if they still do. */
  readonly heldUntil: number;
}

/**
 * What a run did: `failed` also where the provider refused what was issued, because it would be due
 * at once.
 */
type Deed = "rotated" | "nothing was due" | "missed" | "failed";

/** What came of the runs. */
export interface Simulation {
  readonly runs: readonly (Run & { readonly deed: Deed })[];
  readonly tokens: readonly HeldToken[];
  /** Times in which a consumer held a dead token. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  /** The least age at which a token was replaced. */
  readonly leastAgeMs: number;
}

/** Plays runs, which follow each other in time, as the provider and its consumers would. Pure. */
export function simulate(rule: Rule, runs: readonly Run[]): Simulation {
  const store = rule.kind === "in state" ? new InState(rule) : new Pushed(rule);
  const played: (Run & { deed: Deed })[] = [];
  const tokens: HeldToken[] = [];
  let held: { token: Issued; from: number } | undefined;
  for (const run of runs) {
    const deed = run.outcome === "missed" ? "missed" : store.plan(run);
    played.push({ ...run, deed: run.outcome === "failed" ? "failed" : deed });
    if (run.outcome !== "applied" || deed === "failed") continue;
    const token = store.delivered(run);
    if (token === undefined || token === held?.token) continue;
    if (held !== undefined)
      tokens.push({ ...held.token, heldFrom: held.from, heldUntil: run.endedAt });
    held = { token, from: run.endedAt };
  }
  const last = played.at(-1);
  const end = Math.max(0, last?.plannedAt ?? 0, last?.endedAt ?? 0);
  if (held !== undefined) tokens.push({ ...held.token, heldFrom: held.from, heldUntil: end });
  return {
    runs: played,
    tokens,
    gaps: tokens
      .filter(({ expiresAt, heldUntil }) => heldUntil > expiresAt)
      .map(({ expiresAt, heldUntil }) => ({ from: expiresAt, to: heldUntil })),
    leastAgeMs: store.leastAgeMs,
  };
}

interface Issued {
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/**
 * `resource "iam_token"`: the plan counts what is left until the time that the service has said.
 */
class InState {
  leastAgeMs = Number.POSITIVE_INFINITY;
  private token: Issued | undefined;

  constructor(private readonly rule: Extract<Rule, { kind: "in state" }>) {}

  plan({ startedAt, issuedAt, clockAheadMs }: Run): Deed {
    const { lifetimeMs, rotateWhenRemainingMs } = this.rule;
    const seen = this.token && this.token.expiresAt - (startedAt + clockAheadMs);
    if (seen !== undefined && seen > 0 && seen >= rotateWhenRemainingMs) return "nothing was due";
    // The provider takes no token that would be due at once: it would rotate at every run.
    if (lifetimeMs <= rotateWhenRemainingMs) return "failed";
    if (this.token !== undefined)
      this.leastAgeMs = Math.min(this.leastAgeMs, startedAt - this.token.issuedAt);
    this.token = { issuedAt, expiresAt: issuedAt + lifetimeMs };
    return "rotated";
  }

  /** What the consumers have after a run: what stands in state. */
  delivered(): Issued | undefined {
    return this.token;
  }
}

/** `resource "iam_rotation"`, whose number has a token pushed. */
class Pushed {
  leastAgeMs = Number.POSITIVE_INFINITY;
  private rotation = 0;
  private notedAt: number | undefined;
  private pushed: { readonly rotation: number; readonly token: Issued } | undefined;

  constructor(private readonly rule: Extract<Rule, { kind: "pushed" }>) {}

  plan({ startedAt, notedAt, clockAheadMs }: Run): Deed {
    const passed = this.notedAt === undefined ? undefined : startedAt + clockAheadMs - this.notedAt;
    if (passed !== undefined && passed < this.rule.rotateEveryMs) return "nothing was due";
    if (passed !== undefined) this.leastAgeMs = Math.min(this.leastAgeMs, passed);
    this.rotation++;
    this.notedAt = notedAt + clockAheadMs;
    return "rotated";
  }

  /**
   * The number says that a token is to be pushed: also after a run that failed between noting and
   * pushing.
   */
  delivered({ issuedAt, cachedForMs }: Run): Issued | undefined {
    if (this.pushed?.rotation !== this.rotation) {
      const { lifetimeMs, minRemainingMs } = this.rule;
      const age = Math.min(cachedForMs, Math.max(0, lifetimeMs - minRemainingMs));
      const token = { issuedAt: issuedAt - age, expiresAt: issuedAt - age + lifetimeMs };
      this.pushed = { rotation: this.rotation, token };
    }
    return this.pushed.token;
  }
}
