import type { ITerraformDependable, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { IAM_ROTATION } from "../provider/names";
import { reopen } from "./blocks/reopening";
import { checkKeepers } from "./blocks/rotating-arguments";
import { ResourceBlock } from "./blocks/token-block";
import { EmbeddedProvider } from "./embedded-provider";
import { Mistakes } from "./props/mistakes";
import { checkProps } from "./props/props";
import { checkSchedule, type RotationSchedule } from "./values/rotation-schedule";

const BRAND = Symbol.for("cdktf-iam-tokens/TokenRotation");

/** What a {@link TokenRotation} is made from. */
export interface TokenRotationProps {
  /**
   * How often the pipeline re-applies. When it rotates, and how long the tokens that are pushed
   * must live, follows from it.
   */
  readonly schedule: RotationSchedule;
  /**
   * Any texts: a change of one of them rotates. They stand in the state in clear.
   *
   * @default - it rotates when its time has come
   */
  readonly keepers?: { [name: string]: string };
}

/**
 * Counts rotations, and keeps no secret: for tokens that are pushed into another system and stand
 * in no state. It drives what pushes them: version arguments of write-only arguments, a {@link
 * RotationHook}, triggers.
 *
 * It needs no credentials and makes no request. Reported when the program is synthesized:
 * ERR_SCHEDULE_GAP, ERR_SCHEDULE_INVALID, ERR_DURATION_INVALID, ERR_PROP_INVALID.
 *
 * @example
 * const rotation = new TokenRotation(this, "rotation", { schedule: RotationSchedule.every("6h") });
 * const pushed = new ServiceUserToken(this, "pushed", { identity, scope: TokenScope.account(),
 * rotateWith: rotation }); new KvSecretV2(this, "secret", { …, dataJsonWo: Fn.jsonencode({ token:
 * pushed.value }), dataJsonWoVersion: pushed.rotation });
 */
export class TokenRotation extends Construct implements ITerraformDependable {
  private readonly block: ResourceBlock;
  private readonly schedule: RotationSchedule | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: TokenRotationProps,
  ) {
    super(scope, id);
    Object.defineProperty(this, BRAND, { value: true });
    const mistakes = new Mistakes();
    const given = checkProps(props, ["schedule", "keepers"], mistakes);
    this.schedule = checkSchedule(given.schedule, "pushed", mistakes);
    if (given.schedule === undefined)
      mistakes.add("ERR_PROP_INVALID", "schedule is missing.", {
        allowed: 'a RotationSchedule: RotationSchedule.every("6h")',
      });
    // Whatever else the stack has of ours.
    EmbeddedProvider.of(this)._registry.keepProvider();
    const block = {
      rotate_every: this.schedule?.rotateEvery,
      keepers: checkKeepers(given.keepers, mistakes),
    };
    this.block = new ResourceBlock(this, "Default", {
      blockType: IAM_ROTATION,
      arguments: () => block,
    });
    this.node.addValidation({ validate: () => mistakes.messages });
  }

  /**
   * By a brand and not by instanceof: two copies of the package in one program know each other's.
   * @internal
   */
  static _is(value: unknown): value is TokenRotation {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /**
   * How long a token that is pushed must live when it is handed out; undefined for a schedule that
   * is refused. @internal
   */
  get _minRemaining(): string | undefined {
    return this.schedule?.minRemaining;
  }

  /**
   * 1 when it is created, one higher with each rotation; known in the plan that rotates. For
   * arguments that end in `_wo_version`. After `-replace` it is 1 again, so that a version that was
   * 1 stays 1: force a rotation by `keepers`. For triggers there is {@link rotationId}.
   */
  get rotation(): number {
    return this.block.getNumberAttribute("rotation");
  }

  /** `"ID/ROTATION"`: names each rotation once, also after `-replace`. */
  get rotationId(): string {
    return `${this.block.getStringAttribute("id")}/${this.block.getStringAttribute("rotation")}`;
  }

  /** When it rotated last (RFC 3339, UTC), by the clock of the machine that applied. */
  get rotatedAt(): string {
    return this.block.getStringAttribute("rotated_at");
  }

  /**
   * From when the next apply rotates (RFC 3339, UTC). As an output it lets an alarm see that runs
   * are missed.
   */
  get rotateAt(): string {
    return this.block.getStringAttribute("rotate_at");
  }

  /** The same rotation in another stack of the program: it counts there by itself. */
  reopenIn(stack: TerraformStack): TokenRotation {
    return reopen<TokenRotation>(
      this,
      stack,
      EmbeddedProvider.of,
      (scope, id) => new TokenRotation(scope, id, this.props),
    );
  }

  /** The address of the resource in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.block.fqn;
  }
}
