import { Brand, defined, formatExact } from "../tokens";
import type { BlockArguments } from "./blocks/arguments";
import type { Resolution } from "./declarations/registry";
import type { RotationSchedule } from "./rotation/rotation-schedule";
import type { TokenRotation } from "./token-rotation";
import { assertAlone, kind } from "./values/kinds";

/** Options of every resolution. @see docs/using-tokens.md */
export interface ResolutionOptions {
  /**
   * Minimum remaining lifetime of an IAM token when a consumer gets it, as a duration: `"2h"`,
   * `"90m"`. More than a token's whole life (24 hours, or as long as the cloud says) gives
   * ERR_LIFETIME_TOO_SHORT.
   *
   * @default - a cached token is reused while 2 h, or half of a shorter lifetime, are left
   */
  readonly minRemaining?: string;
}

/** Options of {@link TokenResolution.ephemeral}. @see docs/using-tokens.md */
export interface EphemeralOptions extends ResolutionOptions {
  /**
   * Whether this block gets its own token, which is revoked when Terraform closes the block: not
   * for write-only arguments, whose store would hold a revoked token. Keystone can revoke tokens;
   * the service's specification does not mention it.
   *
   * @default false
   */
  readonly revokeOnClose?: boolean;
  /**
   * The rotation that pushes the token into another system. It sets `minRemaining`: each pushed
   * token lives as long as the rotation's schedule requires, even if it comes from a cache.
   *
   * @default - the token is not pushed
   */
  readonly rotateWith?: TokenRotation;
}

/** Options of {@link TokenResolution.rotating}. @see docs/rotation.md */
export interface RotatingOptions extends ResolutionOptions {
  /**
   * How often the pipeline re-applies. This decides when the token rotates.
   *
   * @default - see rotateWhenRemaining
   */
  readonly schedule?: RotationSchedule;
  /**
   * Instead of a schedule: the first apply with less than this left of the token's lifetime rotates
   * it. A duration below 24 hours: `"12h"`.
   *
   * @default - half of the token's lifetime
   */
  readonly rotateWhenRemaining?: string;
  /**
   * Any strings; a change of one rotates the token. They are in the state in clear text.
   *
   * @default - only the remaining lifetime decides
   */
  readonly keepers?: { [name: string]: string };
  /**
   * Whether destroying the token revokes it, which Terraform does after its consumers. A failure is
   * an error, and the token stays in the state. A rotation never revokes.
   *
   * @default false - the token lives until it expires
   */
  readonly revokeOnDestroy?: boolean;
  /**
   * Whether each refresh validates the token at the service, by the token itself. The same plan
   * rotates one that was revoked, or that another password ended. Without an answer, Terraform
   * warns. The request is Keystone's.
   *
   * @default false - a token counts as valid until it expires
   * @see docs/rotation.md#keep-a-token-in-the-state
   */
  readonly verifyAtRefresh?: boolean;
}

/** Options of {@link TokenResolution.synth}. @see docs/synth.md */
export interface SynthOptions extends ResolutionOptions {
  /**
   * Whether the token may be in saved plans and in the state. It can then be an output and an
   * ordinary argument.
   *
   * @default false
   */
  readonly allowInState?: boolean;
}

/**
 * How consumers get a token, with the options of that way. A wrong option is an error at once:
 * ERR_PROP_INVALID.
 *
 * @see docs/using-tokens.md
 * @example
 * TokenResolution.ephemeral();
 * TokenResolution.rotating({ schedule: RotationSchedule.every("6h") });
 */
export class TokenResolution {
  /**
   * An `ephemeral` block: the token is stored nowhere. For provider blocks, write-only arguments
   * and provisioners. Needs Terraform 1.10 or OpenTofu 1.11. The default of tokens.
   */
  static ephemeral(options: EphemeralOptions = {}): TokenResolution {
    const { rotateWith, minRemaining, revokeOnClose } = options;
    assertAlone("TokenResolution.ephemeral", options, "rotateWith", {
      minRemaining: "the rotation's schedule determines how long the token must live",
      revokeOnClose: "the system that receives the token would hold a revoked one",
    });
    const given = {
      min_remaining: rotateWith?._minRemaining ?? minRemaining,
      revoke_on_close: revokeOnClose || undefined,
    };
    return new TokenResolution("ephemeral", given, { rotateWith });
  }

  /**
   * A `data` block: the token is in plan and state, as a sensitive value. For ordinary arguments
   * and outputs, and for older Terraform. Each plan gets a new token.
   */
  static data(options: ResolutionOptions = {}): TokenResolution {
    return new TokenResolution("data", { min_remaining: options.minRemaining });
  }

  /**
   * A `resource` block: the token is in the state, as a sensitive value, stays the same between
   * applies, and is rotated in place before it expires. For outputs, ordinary arguments and
   * scheduled applies; not for provider blocks, because the plan that rotates it does not know the
   * new token. IAM tokens only: a static token does not expire.
   */
  static rotating(options: RotatingOptions = {}): TokenResolution {
    assertAlone("TokenResolution.rotating", options, "schedule", {
      rotateWhenRemaining: "the schedule determines when the token rotates",
    });
    const plan = options.schedule?._plan("inState");
    return new TokenResolution("rotating", {
      min_remaining: options.minRemaining,
      rotate_when_remaining: plan
        ? formatExact(plan.rotateWhenRemainingMs)
        : options.rotateWhenRemaining,
      keepers: options.keepers,
      revoke_on_destroy: options.revokeOnDestroy || undefined,
      verify_at_refresh: options.verifyAtRefresh || undefined,
    });
  }

  /**
   * A Terraform variable, whose value `await resolveTokens(app)` issues before `app.synth()`. For
   * remote runs, and for machines where our provider cannot start. The variable is ephemeral, and
   * its value is in one file next to the stack that only its owner can read. With `allowInState:
   * true` it is an ordinary sensitive variable, for outputs and arguments; its value is then also
   * in saved plans and in the state.
   */
  static synth(options: SynthOptions = {}): TokenResolution {
    const { minRemaining, allowInState } = options;
    return new TokenResolution("synth", { min_remaining: minRemaining }, { allowInState });
  }

  private constructor(
    /** `ephemeral`, `data`, `rotating` or `synth`. */
    readonly name: string,
    private readonly given: BlockArguments,
    private readonly more: {
      readonly rotateWith?: TokenRotation | undefined;
      readonly allowInState?: boolean | undefined;
    } = {},
  ) {
    BRAND.putOn(this);
  }

  /** @internal */
  get _name(): Resolution {
    return this.name as Resolution;
  }

  /** The arguments of the block. @internal */
  get _arguments(): BlockArguments {
    return defined(this.given);
  }

  /** @internal */
  get _rotateWith(): TokenRotation | undefined {
    return this.more.rotateWith;
  }

  /** Whether the token may be in plan and state. @internal */
  get _isInState(): boolean {
    return this.name === "synth" ? this.more.allowInState === true : this.name !== "ephemeral";
  }
}

const BRAND = new Brand<TokenResolution>("TokenResolution");

export const RESOLUTION = kind(
  "TokenResolution.ephemeral(), TokenResolution.data(), TokenResolution.rotating(), TokenResolution.synth()",
  (value) => BRAND.isOn(value),
);
