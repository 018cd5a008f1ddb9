import { type IResolvable, type ITerraformDependable, ref, Token } from "cdktf";
import { Construct } from "constructs";
import { IAM_ROTATION } from "../provider/names";
import { Brand, formatExact, IamTokensError } from "../tokens";
import { Block } from "./blocks/block";
import type { IdentityRecord } from "./declarations/registry";
import { EmbeddedProvider } from "./embedded-provider";
import type { IdentityService } from "./identity-service";
import { type RotationSchedule, SCHEDULE } from "./rotation/rotation-schedule";
import { assertSameStack, isUnresolved, withPath } from "./values/checks";
import { assertKind, kind } from "./values/kinds";

/** Properties of a {@link TokenRotation}. @see docs/rotation.md */
export interface TokenRotationProps {
  /**
   * How often the pipeline re-applies. This decides when to rotate, and how long the pushed tokens
   * must live.
   */
  readonly schedule: RotationSchedule;
  /**
   * Any strings: a change of one causes a rotation. They are in the state in clear text.
   *
   * @default - only the schedule decides
   */
  readonly keepers?: { [name: string]: string };
  /**
   * What the store holds now: an expression with an ephemeral block of the store's own provider,
   * such as `'${var.token_is_stored ? try(ephemeral.vault_kv_secret_v2.stored[0].data.token, "") :
   * null}'`: null before the first push, and `""` for a secret that was lost. Each plan looks at it
   * and rotates what the store does not hold, or what the service refuses. Needs Terraform 1.11
   * or OpenTofu 1.11. Such a rotation is for one token.
   *
   * @default - a push that failed counts as a rotation that did not happen
   * @see docs/rotation.md
   */
  readonly storedToken?: string;
  /**
   * With `storedToken`: the service that is asked whether it accepts it; of the same stack.
   *
   * @default - that of the token with this rotation
   */
  readonly identity?: IdentityService;
}

const STORED = kind("an expression with an ephemeral block of the store's provider", isUnresolved, {
  isSecret: true,
});

/** The one token that a rotation pushes, and its service. */
interface Pushed {
  readonly value: () => string;
  readonly identity: IdentityRecord;
}

/**
 * Counts rotations and stores no secret: for tokens that are pushed into another system and are in
 * no state. The count triggers the push: by the version of a write-only argument, a {@link
 * RotationHook}, or triggers.
 *
 * Without `storedToken`, it needs no credentials and makes no request.
 *
 * @see docs/rotation.md
 * @example
 * const rotation = new TokenRotation(this, "rotation", { schedule: RotationSchedule.every("6h") });
 * const pushed = new ServiceUserToken(this, "pushed", {
 *   identity,
 *   scope: TokenScope.account(),
 *   resolution: TokenResolution.ephemeral({ rotateWith: rotation }),
 * });
 * new KvSecretV2(this, "secret", {
 *   mount: "kv",
 *   name: "token",
 *   dataJsonWo: Fn.jsonencode({ token: pushed.value }),
 *   dataJsonWoVersion: rotation.version,
 * });
 */
export class TokenRotation extends Construct implements ITerraformDependable {
  private readonly block: Block;
  private readonly plan: ReturnType<RotationSchedule["_plan"]>;
  private pushed: Pushed | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: TokenRotationProps,
  ) {
    super(scope, id);
    BRAND.putOn(this);
    const provider = EmbeddedProvider._for(this, props);
    this.plan = withPath(this, () => {
      assertKind("schedule", props.schedule, SCHEDULE);
      if (props.storedToken !== undefined) assertKind("storedToken", props.storedToken, STORED);
      if (props.identity !== undefined) assertSameStack("identity service", props.identity, this);
      return props.schedule._plan(props.storedToken === undefined ? "pushed" : "stored");
    });
    const { keepers, storedToken, identity } = props;
    this.block = new Block(this, "Default", {
      section: "resource",
      blockType: IAM_ROTATION,
      arguments: () => ({
        rotate_every: formatExact(this.plan.rotateEveryMs),
        keepers,
        // Without it, the block may be for a Terraform that has no write-only arguments.
        ...(storedToken !== undefined && {
          provider: (identity?._record ?? this.pushed?.identity)?.configuration,
          stored_token_wo: storedToken,
          pushed_token_wo: this.pushed?.value(),
        }),
      }),
    });
    provider._registry.rotations.push(this);
  }

  /** `min_remaining` of the token that is pushed. @internal */
  get _minRemaining(): string {
    return formatExact(this.plan.minRemainingMs);
  }

  /**
   * Notes a token with this rotation.
   *
   * @throws ERR_PROP_INVALID with `storedToken`, for a second one
   * @internal
   */
  _pushes(pushed: Pushed, isRepeated: boolean): void {
    if (this.props.storedToken !== undefined && (isRepeated || this.pushed !== undefined))
      throw new IamTokensError(
        "ERR_PROP_INVALID",
        `The rotation ${this.node.path} has a storedToken, and more than one token has this rotation.`,
        { remedy: "Give each token a rotation of its own: a store holds one token." },
      );
    this.pushed = pushed;
  }

  /**
   * The second of the last rotation: it rises with each, even after `-replace`. For arguments that
   * end in `_wo_version`. Known after the apply that rotates.
   */
  get version(): number {
    return Token.asNumber(this.attribute("version"));
  }

  /**
   * 1 at creation, one more with each rotation. The plan that rotates already knows it. After
   * `-replace` it is 1 again: for arguments that end in `_wo_version`, use {@link version}, and for
   * triggers {@link rotationId}.
   */
  get rotation(): number {
    return Token.asNumber(this.attribute("rotation"));
  }

  /** `"ID/ROTATION"`: unique for each rotation, even after `-replace`. */
  get rotationId(): string {
    return `${this.attribute("id")}/${this.attribute("rotation")}`;
  }

  /** Time of the last rotation (RFC 3339, UTC), by the clock of the machine that applied. */
  get rotatedAt(): string {
    return Token.asString(this.attribute("rotated_at"));
  }

  /**
   * From this time on, the next apply rotates (RFC 3339, UTC). As an output, it lets an alarm
   * detect missed runs.
   */
  get rotateAt(): string {
    return Token.asString(this.attribute("rotate_at"));
  }

  /** The address of the resource in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.block.fqn;
  }

  /** It has no secret, so cdktf's references suffice. */
  private attribute(name: string): IResolvable {
    return ref(this.block.address(name), this.block.cdktfStack);
  }
}

const BRAND = new Brand<TokenRotation>("TokenRotation");

export const ROTATION = kind("a TokenRotation", (value) => BRAND.isOn(value));
