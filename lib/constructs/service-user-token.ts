import { type ITerraformDependable, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_TOKEN } from "../provider/names";
import { defined, IamTokensError, KIND_OF_SCOPE } from "../tokens";
import { AuthenticationToken } from "./authentication-token";
import { argumentsIn } from "./blocks/arguments";
import { assertSameStack } from "./blocks/reopening";
import type { TokenDeclaration } from "./declarations/registry";
import { IDENTITY, type IdentityService } from "./identity-service";
import { reopen } from "./reopen";
import { type RotationSchedule, SCHEDULE } from "./rotation/rotation-schedule";
import { ROTATION, type TokenRotation } from "./token-rotation";
import { checkedFor } from "./values/checks";
import {
  assertProps,
  DEPENDABLES,
  FLAG,
  type KindsOf,
  LIST,
  MAP,
  required,
  TEXT,
} from "./values/props";
import { assertIssuable } from "./values/service-user-permission";
import {
  assertResolution,
  assertScope,
  RESOLUTION,
  SCOPE,
  TokenResolution,
  type TokenScope,
} from "./values/token";

/** Properties of a {@link ServiceUserToken}. @see docs/using-tokens.md */
export interface ServiceUserTokenProps {
  /**
   * The service that issues the token, with the service user that gets it; of the same stack.
   */
  readonly identity: IdentityService;
  /** Scope of the token: the account, or one project. Required. */
  readonly scope: TokenScope;
  /**
   * How consumers get the token.
   *
   * @default TokenResolution.EPHEMERAL
   */
  readonly resolution?: TokenResolution;
  /**
   * With `TokenResolution.SYNTH` only: whether the token may be in saved plans and in the state. It
   * can then be an output and an ordinary argument.
   *
   * @default false
   */
  readonly allowInState?: boolean;
  /**
   * Minimum remaining lifetime of a token when a consumer gets it, as a duration: `"2h"`, `"90m"`.
   * An IAM token lives 24 hours; a longer duration gives ERR_LIFETIME_TOO_SHORT.
   *
   * @default - a cached token is reused while 2 h, or half of a shorter lifetime, are left
   */
  readonly minRemaining?: string;
  /**
   * Addresses that the token is used for. Each must be below the identity service's `baseUrl`.
   * Synthesis checks literal addresses; the provider checks Terraform expressions.
   *
   * @default - any address
   */
  readonly destinations?: string[];
  /**
   * Strings that must be known before the token is requested: the id of a role, for example, that
   * the same apply gives to the user. They are sent nowhere; a change of one rotates a rotating
   * token.
   *
   * @default - the token is requested as soon as Terraform needs it
   * @see docs/using-tokens.md
   */
  readonly after?: string[];
  /**
   * The token's block comes after these in Terraform. Terraform gets an ephemeral token while it
   * plans, whatever it depends on: `after` makes it wait for the apply.
   *
   * @default - only what the properties refer to
   */
  readonly dependsOn?: ITerraformDependable[];
  /**
   * Whether this block gets its own token, which is revoked when Terraform closes the block. For
   * ephemeral tokens only. Keystone can revoke tokens; the service's specification does not mention
   * it.
   *
   * @default false
   */
  readonly revokeOnClose?: boolean;
  /**
   * With `TokenResolution.ROTATING` only: how often the pipeline re-applies. This decides when the
   * token rotates.
   *
   * @default - see rotateWhenRemaining
   */
  readonly schedule?: RotationSchedule;
  /**
   * With `TokenResolution.ROTATING` only, and instead of a schedule: the first apply with less than
   * this left of the token's lifetime rotates it. A duration below 24 hours: `"12h"`.
   *
   * @default - half of the token's lifetime
   */
  readonly rotateWhenRemaining?: string;
  /**
   * With `TokenResolution.ROTATING` only: any strings; a change of one rotates the token. They are
   * in the state in clear text.
   *
   * @default - only the remaining lifetime decides
   */
  readonly keepers?: { [name: string]: string };
  /**
   * With `TokenResolution.ROTATING` only: whether destroying the token revokes it, which Terraform
   * does after its consumers. A failure is an error, and the token stays in the state. A rotation
   * never revokes; a change of this property rotates.
   *
   * @default false - the token lives until it expires
   */
  readonly revokeOnDestroy?: boolean;
  /**
   * With `TokenResolution.ROTATING` only: whether each refresh asks the service, by the token
   * itself, if it still knows the token, and the same plan rotates one that is gone: revoked, or
   * ended by another password. Without an answer, Terraform warns. The request is Keystone's.
   *
   * @default false - a token counts as valid until it expires
   * @see docs/rotating-resources.md#a-token-that-the-service-ended
   */
  readonly verifyAtRefresh?: boolean;
  /**
   * The rotation that pushes the token into another system; for ephemeral tokens. It sets
   * `minRemaining`: each pushed token lives as long as the rotation's schedule requires, even if it
   * comes from a cache.
   *
   * @default - the token is not pushed
   */
  readonly rotateWith?: TokenRotation;
}

/**
 * An IAM token, issued to a service user when Terraform needs it. It lives 24 hours, and requests
 * carry it in `X-Auth-Token`.
 *
 * A wrong type, a literal secret and a construct that does not fit are errors at once; values and
 * uses are judged at synthesis, all together. The codes are in docs/errors.md.
 *
 * @see docs/using-tokens.md
 * @example
 * const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
 * new OpenstackProvider(this, "cloud", {
 *   authUrl: identity.keystoneUrl,
 *   token: web.value,
 *   allowReauth: false,
 * });
 */
export class ServiceUserToken extends AuthenticationToken {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceUserTokenProps,
  ) {
    super(scope, id, (token) => declarationOf(token, props));
  }

  /** The address of the service that issued the token, up to `/v3`. */
  get authUrl(): string {
    return this._attribute("auth_url");
  }

  /**
   * Id of the token's project: as it is given, or as the service says it; null for an account's
   * token.
   */
  get projectId(): string {
    return this._attribute("project_id");
  }

  /** Id of the token's user, as the service says it; null if it does not. */
  get userId(): string {
    return this._attribute("user_id");
  }

  /**
   * Number of rotations, from 1: the token's own, or those of `rotateWith`. The plan that rotates
   * already knows it. For arguments that end in `_wo_version`; after `-replace` it is 1 again. For
   * any other token it gives ERR_PROP_INVALID.
   */
  get rotation(): number {
    this.assertRotates();
    return this.props.rotateWith?.rotation ?? this._numberAttribute("rotation");
  }

  /**
   * `"ID/ROTATION"`: like `rotation`, but unique even after `-replace`. For triggers.
   */
  get rotationId(): string {
    this.assertRotates();
    return (
      this.props.rotateWith?.rotationId ?? `${this._attribute("id")}/${this._attribute("rotation")}`
    );
  }

  /**
   * The same token in another stack of the program. That stack has its own declaration and provider
   * configuration, and the value passes through no state. Further calls for a stack return the same
   * construct; for its own stack, the construct returns itself.
   *
   * For a rotating token, or one with `rotateWith`, the other stack issues its own token, which
   * rotates with that stack's applies.
   *
   * @example
   * new OpenstackProvider(otherStack, "cloud", {
   *   authUrl: identity.keystoneUrl,
   *   token: web.reopenIn(otherStack).value,
   *   allowReauth: false,
   * });
   */
  reopenIn(stack: TerraformStack): ServiceUserToken {
    return reopen<ServiceUserToken>(this, stack, (scope, id) => {
      // `after` and `dependsOn` are in the stack of the original.
      const { identity, rotateWith, after: _, dependsOn: __, ...props } = this.props;
      return new ServiceUserToken(scope, id, {
        ...props,
        identity: identity.reopenIn(stack),
        ...defined({ rotateWith: rotateWith?.reopenIn(stack) }),
      });
    });
  }

  /**
   * Says that this construct was elsewhere in its stack: Terraform keeps a token
   * of `TokenResolution.ROTATING`, which does not rotate. Call it
   * for each place that some state may still have.
   *
   * @param path its path in the stack before: `"ci"`, `"network/ci"`
   * @see docs/rotation.md
   */
  movedFrom(path: string): void {
    this._declareMove(path);
  }

  /** @internal */
  get _rotates(): boolean {
    return this.props.rotateWith !== undefined || this.resolution === TokenResolution.ROTATING;
  }

  private assertRotates(): void {
    if (this._rotates) return;
    checkedFor(this, () => {
      throw new IamTokensError(
        "ERR_PROP_INVALID",
        `The token with resolution: ${this.resolution} does not rotate, but its rotation was read.`,
        { allowed: "a token with TokenResolution.ROTATING, or with rotateWith" },
      );
    });
  }
}

function declarationOf(token: Construct, props: ServiceUserTokenProps): TokenDeclaration {
  assertProps(props, PROPS);
  const { identity, scope, schedule, rotateWith } = props;
  const { resolution = TokenResolution.EPHEMERAL, allowInState = false } = props;
  assertSameStack(
    "identity service",
    identity,
    token,
    `Use the result of its reopenIn(…) for the stack ${TerraformStack.of(token).node.path}: the same service, declared there.`,
  );
  assertScope(scope, identity._way);
  assertIssuable(scope, identity._signIn.props.permission);
  assertResolution(props, resolution);
  assertAlone(props);
  if (rotateWith !== undefined) assertSameStack("rotation", rotateWith, token);
  const lifetimes = defined({
    min_remaining: rotateWith?._schedule.minRemaining,
    rotate_when_remaining: schedule?.rotateWhenRemaining,
  });
  return {
    kind: scope.kind,
    blockType: IAM_TOKEN,
    resolution,
    allowInState,
    baseUrl: identity._signIn.props.baseUrl,
    identity: identity._record,
    ...defined({ dependsOn: props.dependsOn }),
    arguments: (file) => ({
      scope: Object.entries(KIND_OF_SCOPE).find(([, kind]) => kind === scope.kind)?.[0],
      project_name: scope.projectName,
      project_id: scope.projectId,
      ...argumentsIn(props, ARGUMENTS, file),
      ...lifetimes,
    }),
  };
}

/** Those that are arguments of the block. */
const ARGUMENTS = {
  ...{ minRemaining: TEXT, destinations: LIST, after: LIST, revokeOnClose: FLAG },
  ...{ rotateWhenRemaining: TEXT, keepers: MAP, revokeOnDestroy: FLAG, verifyAtRefresh: FLAG },
};

const PROPS: KindsOf<ServiceUserTokenProps> = {
  identity: required(IDENTITY),
  scope: required(SCOPE),
  resolution: RESOLUTION,
  allowInState: FLAG,
  ...ARGUMENTS,
  dependsOn: DEPENDABLES,
  schedule: SCHEDULE,
  rotateWith: ROTATION,
};

/** Properties of which only one can be given, and what to do with the second. */
const EXCLUSIVE = [
  [
    "schedule",
    "rotateWhenRemaining",
    "Give only the schedule: it determines when the token rotates.",
  ],
  [
    "rotateWith",
    "minRemaining",
    "Remove minRemaining: the rotation's schedule determines how long the token must live.",
  ],
  [
    "rotateWith",
    "revokeOnClose",
    "Remove revokeOnClose: the system that receives the token would hold a revoked one.",
  ],
] as const;

function assertAlone(props: ServiceUserTokenProps): void {
  for (const name of ["after", "dependsOn"] as const)
    if (props[name] !== undefined && props.resolution === TokenResolution.SYNTH)
      throw new IamTokensError("ERR_PROP_INVALID", `${name} is given with resolution: synth.`, {
        remedy: "Remove it: before synthesis there is nothing to wait for.",
      });
  for (const [one, other, remedy] of EXCLUSIVE)
    if (props[one] !== undefined && props[other] !== undefined && props[other] !== false)
      throw new IamTokensError("ERR_PROP_INVALID", `Both ${one} and ${other} are given.`, {
        remedy,
      });
}
