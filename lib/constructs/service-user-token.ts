import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_TOKEN } from "../provider/names";
import { defined } from "../tokens";
import { Brand } from "../tokens/brand";
import { AuthenticationToken, type TokenDeclaration } from "./authentication-token";
import type { BlockArguments } from "./blocks/block";
import { checkSameStack, reopen } from "./blocks/reopening";
import { EmbeddedProvider } from "./embedded-provider";
import { IdentityService } from "./identity-service";
import type { RotationSchedule } from "./rotation/rotation-schedule";
import { checkRotating } from "./rotation/rotation-schedule";
import { TokenRotation } from "./token-rotation";
import type { Mistakes } from "./values/checks";
import { checkDestinations, quoted, UNRESTRICTED } from "./values/checks";
import { checkIssuing } from "./values/service-user-permission";
import {
  checkAllowInState,
  checkResolution,
  checkScope,
  TokenKind,
  TokenResolution,
  type TokenScope,
} from "./values/token";

const BRAND = new Brand<ServiceUserToken>("ServiceUserToken");

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
 * Errors at synthesis, all reported at once, have the codes of docs/errors.md.
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
  /** @internal */
  static _is(value: unknown): value is ServiceUserToken {
    return BRAND.isOn(value);
  }

  private readonly rotateWith: TokenRotation | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceUserTokenProps,
  ) {
    super(scope, id, (token, mistakes) => declarationOf(token, props, mistakes));
    BRAND.putOn(this);
    this.rotateWith = rotationIn(props);
  }

  /** Whether the token rotates, by itself or with `rotateWith`. @internal */
  get _rotates(): boolean {
    return this.rotateWith !== undefined || this.resolution === TokenResolution.ROTATING;
  }

  /** When the token was issued (RFC 3339, UTC). */
  get issuedAt(): string {
    return this._attribute("issued_at");
  }

  /** When the token expires (RFC 3339, UTC). */
  get expiresAt(): string {
    return this._attribute("expires_at");
  }

  /** The first 12 hex digits of the token's SHA-256: safe to print, equal for equal tokens. */
  get fingerprint(): string {
    return this._attribute("fingerprint");
  }

  /** The address of the service that issued the token, up to `/v3`. */
  get authUrl(): string {
    return this._attribute("auth_url");
  }

  /**
   * Number of rotations, from 1: the token's own, or those of `rotateWith`. The plan that rotates
   * already knows it. For arguments that end in `_wo_version`; after `-replace` it is 1 again. For
   * any other token it gives ERR_PROP_INVALID.
   */
  get rotation(): number {
    this.assertRotates("rotation");
    return this.rotateWith?.rotation ?? this._numberAttribute("rotation");
  }

  /**
   * `"ID/ROTATION"`: like `rotation`, but unique even after `-replace`. For triggers.
   */
  get rotationId(): string {
    this.assertRotates("rotationId");
    return this.rotateWith?.rotationId ?? `${this._attribute("id")}/${this._attribute("rotation")}`;
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
    return reopen<ServiceUserToken>(this, stack, EmbeddedProvider.of, (scope, id) => {
      const { identity } = this.props;
      const there = IdentityService._is(identity) ? identity.reopenIn(stack) : identity;
      return new ServiceUserToken(scope, id, {
        ...this.props,
        identity: there,
        ...defined({ rotateWith: this.rotateWith?.reopenIn(stack) }),
      });
    });
  }

  private assertRotates(asked: string): void {
    if (this._rotates) return;
    this._mistakes.add(
      "ERR_PROP_INVALID",
      `${asked} was read on a token with resolution: ${this.resolution}, which does not rotate.`,
      { allowed: "a token with TokenResolution.ROTATING, or with rotateWith" },
    );
  }
}

function declarationOf(
  token: Construct,
  props: ServiceUserTokenProps,
  mistakes: Mistakes,
): TokenDeclaration {
  const given = { ...props };
  const identity = checkIdentity(given.identity, token, mistakes);
  const scope = checkScope(given.scope, mistakes, identity?._way);
  const kind = scope?.kind ?? TokenKind.IAM_TOKEN_ACCOUNT_SCOPED;
  const resolution = checkResolution(given.resolution, mistakes);
  checkIssuing(scope, identity?._permission, mistakes);
  const baseUrl = identity?._baseUrl ?? UNRESTRICTED;
  const destinations = checkDestinations(given.destinations, baseUrl, mistakes);
  const allowInState = checkAllowInState(given.allowInState, resolution, mistakes);
  const revocation = checkRevocation(given, resolution, mistakes);
  checkPushed(token, given, resolution, mistakes);
  const rotateWith = rotationIn(given);
  const rotating = checkRotating(given, resolution, mistakes);
  const forProject = kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED;
  return {
    kind,
    blockType: IAM_TOKEN,
    resolution,
    allowInState,
    baseUrl,
    arguments: () => ({
      provider: identity?.providerConfiguration,
      scope: scope && (forProject ? "project" : "account"),
      project_name: forProject ? scope?.projectName : undefined,
      min_remaining: rotateWith?._minRemaining ?? given.minRemaining,
      destinations,
      ...revocation,
      ...rotating,
    }),
  };
}

/** When a token is revoked; each way has at most one moment. */
function checkRevocation(
  given: ServiceUserTokenProps,
  resolution: TokenResolution,
  mistakes: Mistakes,
): BlockArguments {
  const flag = (
    name: "revokeOnClose" | "revokeOnDestroy",
    way: TokenResolution,
    otherwise: string,
  ): boolean | undefined => {
    const value = given[name];
    if (value !== true || resolution === way) return value;
    mistakes.add("ERR_PROP_INVALID", `${name} is given with resolution: ${resolution}.`, {
      remedy: `Remove it, or use ${otherwise}.`,
    });
    return undefined;
  };
  const { EPHEMERAL, ROTATING } = TokenResolution;
  const ephemeral = "TokenResolution.EPHEMERAL";
  const rotating = "TokenResolution.ROTATING";
  return {
    revoke_on_close: flag(
      "revokeOnClose",
      EPHEMERAL,
      resolution === ROTATING ? `revokeOnDestroy, or ${ephemeral}` : ephemeral,
    ),
    revoke_on_destroy: flag(
      "revokeOnDestroy",
      ROTATING,
      resolution === EPHEMERAL ? `revokeOnClose: an ephemeral token is in no state` : rotating,
    ),
  };
}

/** The rotation that pushes a token into another system; any other value is a mistake. */
function rotationIn(props: unknown): TokenRotation | undefined {
  const given = (props as Partial<ServiceUserTokenProps> | null | undefined)?.rotateWith;
  return TokenRotation._is(given) ? given : undefined;
}

function checkIdentity(
  identity: unknown,
  scope: Construct,
  mistakes: Mistakes,
): IdentityService | undefined {
  if (!IdentityService._is(identity)) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `identity is ${identity === undefined ? "missing" : "not an IdentityService"}.`,
      { allowed: "an IdentityService of the same stack" },
    );
    return undefined;
  }
  checkSameStack("identity service", identity, scope, mistakes, {
    remedy: `Use the result of its reopenIn(…) for the stack ${TerraformStack.of(scope).node.path}: the same service, declared there.`,
  });
  return identity;
}

/** Properties that conflict with a token that is pushed into another system. */
function checkPushed(
  token: Construct,
  { rotateWith, minRemaining, revokeOnClose }: ServiceUserTokenProps,
  resolution: TokenResolution,
  mistakes: Mistakes,
): void {
  if (rotateWith === undefined) return;
  if (!TokenRotation._is(rotateWith)) {
    mistakes.add("ERR_PROP_INVALID", `rotateWith is ${quoted(rotateWith)}.`, {
      allowed: "a TokenRotation of the same stack",
    });
    return;
  }
  if (resolution !== TokenResolution.EPHEMERAL) {
    mistakes.add("ERR_PROP_INVALID", `rotateWith is given with resolution: ${resolution}.`, {
      remedy:
        resolution === TokenResolution.ROTATING
          ? "Remove it: the token rotates by itself."
          : "Remove it, or use TokenResolution.EPHEMERAL.",
    });
  }
  if (minRemaining !== undefined) {
    mistakes.add("ERR_PROP_INVALID", "Both rotateWith and minRemaining are given.", {
      remedy:
        "Remove minRemaining: the rotation's schedule determines how long the token must live.",
    });
  }
  if (revokeOnClose === true) {
    mistakes.add(
      "ERR_PROP_INVALID",
      "revokeOnClose is given with rotateWith: the system that receives the token would hold a revoked one.",
      { remedy: "Leave it out." },
    );
  }
  checkSameStack("rotation", rotateWith, token, mistakes);
}
