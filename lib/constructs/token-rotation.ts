import {
  type IResolvable,
  type ITerraformDependable,
  ref,
  type TerraformStack,
  Token,
} from "cdktf";
import { Construct } from "constructs";
import { IAM_ROTATION } from "../provider/names";
import { Brand } from "../tokens";
import { Block } from "./blocks/block";
import { declareMove } from "./blocks/moved";
import { nameReopened } from "./blocks/reopening";
import { EmbeddedProvider } from "./embedded-provider";
import { reopen } from "./reopen";
import { type RotationSchedule, SCHEDULE } from "./rotation/rotation-schedule";
import { checkedFor } from "./values/checks";
import { assertProps, type KindsOf, kind, MAP, required } from "./values/props";

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
}

const PROPS: KindsOf<TokenRotationProps> = { schedule: required(SCHEDULE), keepers: MAP };

/**
 * Counts rotations and stores no secret: for tokens that are pushed into another system and are in
 * no state. The count triggers the push: by the version of a write-only argument, a {@link
 * RotationHook}, or triggers.
 *
 * It needs no credentials and makes no request.
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
 *   dataJsonWoVersion: pushed.rotation,
 * });
 */
export class TokenRotation extends Construct implements ITerraformDependable {
  private readonly block: Block;
  /** @internal */
  readonly _schedule: RotationSchedule;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: TokenRotationProps,
  ) {
    super(scope, id);
    BRAND.putOn(this);
    const rotateEvery = checkedFor(this, () => {
      assertProps(props, PROPS);
      return props.schedule.rotateEvery;
    });
    this._schedule = props.schedule;
    const provider = EmbeddedProvider.of(this);
    this.block = new Block(this, "Default", {
      section: "resource",
      blockType: IAM_ROTATION,
      arguments: () => ({ rotate_every: rotateEvery, keepers: props.keepers }),
    });
    nameReopened(this.block, this);
    provider._registry.rotations.push({ construct: this, address: () => this.block.address() });
    provider._report(this);
  }

  /**
   * 1 at creation, one more with each rotation. The plan that rotates already knows it. For
   * arguments that end in `_wo_version`. After `-replace` it is 1 again, and a version that was 1
   * stays 1: use `keepers` to force a rotation. For triggers, use {@link rotationId}.
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

  /** The same rotation in another stack of the program, with its own count there. */
  reopenIn(stack: TerraformStack): TokenRotation {
    return reopen<TokenRotation>(
      this,
      stack,
      (scope, id) => new TokenRotation(scope, id, this.props),
    );
  }

  /**
   * Says that this construct was elsewhere in its stack: Terraform keeps its count and times. Call
   * it for each place that some state may still have.
   *
   * @param path its path in the stack before: `"ci"`, `"network/ci"`
   * @see docs/rotation.md
   */
  movedFrom(path: string): void {
    declareMove({ construct: this, type: IAM_ROTATION, element: this.block }, path);
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
