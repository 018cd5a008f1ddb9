import { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_TOKEN } from "../provider/names";
import { defined } from "../tokens";
import { AuthenticationToken, type TokenDeclaration } from "./authentication-token";
import { checkSameStack, reopen } from "./blocks/reopening";
import { checkRotating } from "./blocks/rotating-arguments";
import { EmbeddedProvider } from "./embedded-provider";
import { IdentityService } from "./identity-service";
import { checkDestinations, UNRESTRICTED } from "./props/destinations";
import { emittable } from "./props/expression";
import type { Mistakes } from "./props/mistakes";
import { checkFlag, checkProps } from "./props/props";
import { shown } from "./props/shown";
import { checkLifeLeft } from "./props/texts";
import { TokenRotation } from "./token-rotation";
import type { RotationSchedule } from "./values/rotation-schedule";
import { checkIssuing } from "./values/service-user-permission";
import { TokenKind } from "./values/token-kind";
import { checkAllowInState, checkResolution, TokenResolution } from "./values/token-resolution";
import { checkScope, type TokenScope } from "./values/token-scope";

const BRAND = Symbol.for("cdktf-iam-tokens/ServiceUserToken");

/** What a {@link ServiceUserToken} is made from. */
export interface ServiceUserTokenProps {
  /**
   * The service that issues the token, and the service user that it is issued to; of the same
   * stack.
   */
  readonly identity: IdentityService;
  /** What the token is for: the account, or one project. There is no default. */
  readonly scope: TokenScope;
  /**
   * How the token reaches what uses it.
   *
   * @default TokenResolution.EPHEMERAL
   */
  readonly resolution?: TokenResolution;
  /**
   * With `TokenResolution.SYNTH` only: accept that the token stands in saved plans and in the
   * state, so that it can be an output and an ordinary argument.
   *
   * @default false
   */
  readonly allowInState?: boolean;
  /**
   * How long the token must still live when it is handed out, as a duration: `"2h"`, `"90m"`. An
   * IAM token lives 24 hours.
   *
   * @default - a token is handed out again while 2 h, or half of a shorter lifetime, are left
   */
  readonly minRemaining?: string;
  /**
   * Addresses that the token is for. Each must fall under the identity service's `baseUrl`: what
   * the program knows is checked when it is synthesized, Terraform expressions when Terraform knows
   * them.
   *
   * @default - any address
   */
  readonly destinations?: string[];
  /**
   * Issue a token for this block alone, and revoke it when Terraform is done with it. Only for
   * ephemeral tokens. The described service does not document revoking; Keystone has it.
   *
   * @default false
   */
  readonly revokeOnClose?: boolean;
  /**
   * With `TokenResolution.ROTATING` only: how often the pipeline re-applies, from which follows
   * when the token rotates.
   *
   * @default - see rotateWhenRemaining
   */
  readonly schedule?: RotationSchedule;
  /**
   * With `TokenResolution.ROTATING` only, and instead of a schedule: the first apply that finds
   * less than this of its life left rotates the token. A duration below 24 hours: `"12h"`.
   *
   * @default - half of the token's lifetime
   */
  readonly rotateWhenRemaining?: string;
  /**
   * With `TokenResolution.ROTATING` only: any texts, of which a change of one rotates the token.
   * They stand in the state in clear.
   *
   * @default - it rotates when its time has come
   */
  readonly keepers?: { [name: string]: string };
  /**
   * The rotation with which the token is pushed into another system; for ephemeral tokens. It sets
   * `minRemaining`, so that each pushed token lives as long as the rotation's schedule needs,
   * whatever a cache holds.
   *
   * @default - the token is not pushed
   */
  readonly rotateWith?: TokenRotation;
}

const KNOWN = [
  ...[
    "identity",
    "scope",
    "resolution",
    "allowInState",
    "minRemaining",
    "destinations",
    "revokeOnClose",
  ],
  ...["schedule", "rotateWhenRemaining", "keepers", "rotateWith"],
];

/**
 * An IAM token, issued to a service user when Terraform needs it. It lives 24 hours and is sent in
 * `X-Auth-Token`.
 *
 * Wrong properties are reported when the program is synthesized, all at once: ERR_SCOPE_INVALID,
 * ERR_NAME_INVALID, ERR_DURATION_INVALID, ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED,
 * ERR_PERMISSION_INSUFFICIENT, ERR_KIND_UNSUITABLE, ERR_OTHER_STACK, ERR_PROP_INVALID,
 * ERR_NAME_TAKEN, ERR_HCL_OUTPUT; of rotating ones ERR_SCHEDULE_GAP,
 * ERR_SCHEDULE_INVALID, ERR_ROTATION_THRESHOLD, ERR_ROTATING_MISPLACED.
 *
 * @see spec, "Issue an IAM token"
 * @example
 * const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
 * new OpenstackProvider(this, "cloud", { authUrl: identity.keystoneUrl, token: web.value,
 * tenantName: "web" });
 */
export class ServiceUserToken extends AuthenticationToken {
  /**
   * By a brand and not by instanceof: two copies of the package in one program know each other's.
   * @internal
   */
  static _is(value: unknown): value is ServiceUserToken {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  private readonly rotateWith: TokenRotation | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceUserTokenProps,
  ) {
    super(scope, id, (token, mistakes) => declarationOf(token, props, mistakes));
    Object.defineProperty(this, BRAND, { value: true });
    this.rotateWith = rotationIn(props);
  }

  /** Whether the token has a rotation: its own, or the one that it is pushed with. @internal */
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

  /** The first 12 hex digits of a SHA-256 of the token: safe to print, equal for equal tokens. */
  get fingerprint(): string {
    return this._attribute("fingerprint");
  }

  /** The address of the service that issued the token, up to `/v3`. */
  get authUrl(): string {
    return this._attribute("auth_url");
  }

  /**
   * How often the token was rotated, from 1: of a rotating token its own, of one with `rotateWith`
   * that rotation's. Known in the plan that rotates. For arguments that end in `_wo_version`; after
   * `-replace` it is 1 again. Of any other token ERR_PROP_INVALID.
   */
  get rotation(): number {
    if (!this.rotates("rotation")) return 0;
    return this.rotateWith?.rotation ?? this._numberAttribute("rotation");
  }

  /**
   * `"ID/ROTATION"`: as `rotation`, but names each rotation once, also after `-replace`. For
   * triggers.
   */
  get rotationId(): string {
    if (!this.rotates("rotationId")) return "";
    return this.rotateWith?.rotationId ?? `${this._attribute("id")}/${this._attribute("rotation")}`;
  }

  /**
   * The same token in another stack of the program: declared there too, with a provider
   * configuration of its own, so that its value goes through no state. Asked again for the same
   * stack, it is the same construct; for its own stack, itself.
   *
   * Of a rotating token, and of one with `rotateWith`, the other stack issues one of its own, which
   * rotates with that stack's applies.
   *
   * @example
   * new OpenstackProvider(otherStack, "cloud", { token: web.reopenIn(otherStack).value });
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

  private rotates(asked: string): boolean {
    if (this._rotates) return true;
    this._mistakes.add(
      "ERR_PROP_INVALID",
      `${asked} was asked of a token with resolution: ${this.resolution}, which does not rotate.`,
      { allowed: "of a token with TokenResolution.ROTATING, or with rotateWith" },
    );
    return false;
  }
}

function declarationOf(token: Construct, props: unknown, mistakes: Mistakes): TokenDeclaration {
  const given = checkProps(props, KNOWN, mistakes);
  const identity = checkIdentity(given.identity, token, mistakes);
  const scope = checkScope(given.scope, mistakes);
  const kind = scope?.kind ?? TokenKind.IAM_TOKEN_ACCOUNT_SCOPED;
  const resolution = checkResolution(given.resolution, mistakes);
  checkLifeLeft("minRemaining", given.minRemaining, mistakes);
  checkIssuing(scope, identity?._permission, mistakes);
  const baseUrl = identity?._baseUrl ?? UNRESTRICTED;
  const destinations = checkDestinations(given.destinations, baseUrl, mistakes);
  const revokeOnClose = checkFlag("revokeOnClose", given.revokeOnClose, mistakes);
  const allowInState = checkAllowInState(given.allowInState, resolution, mistakes);
  if (revokeOnClose && resolution !== TokenResolution.EPHEMERAL) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `revokeOnClose is given with resolution: ${resolution}, which has no moment to revoke at.`,
      { remedy: "Leave it out, or use TokenResolution.EPHEMERAL." },
    );
  }
  checkPushed(token, given, resolution, mistakes);
  const rotateWith = rotationIn(given);
  checkLifeLeft(
    "What the rotation's schedule asks a token to have left",
    rotateWith?._minRemaining,
    mistakes,
  );
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
      project_name: forProject ? emittable(scope?.projectName) : undefined,
      min_remaining: rotateWith?._minRemaining ?? emittable(given.minRemaining),
      destinations,
      revoke_on_close: revokeOnClose,
      ...rotating,
    }),
  };
}

/** The rotation with which a token is pushed into another system; what is none is a mistake. */
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
    remedy: `Use what its reopenIn(…) gives for the stack ${TerraformStack.of(scope).node.path}: the same service, declared there.`,
  });
  return identity;
}

/** What does not go with a token that is pushed into another system. */
function checkPushed(
  token: Construct,
  { rotateWith, minRemaining, revokeOnClose }: Readonly<Record<string, unknown>>,
  resolution: TokenResolution,
  mistakes: Mistakes,
): void {
  if (rotateWith === undefined) return;
  if (!TokenRotation._is(rotateWith)) {
    mistakes.add("ERR_PROP_INVALID", `rotateWith is ${shown(rotateWith)}.`, {
      allowed: "a TokenRotation of the same stack",
    });
    return;
  }
  if (resolution !== TokenResolution.EPHEMERAL) {
    mistakes.add("ERR_PROP_INVALID", `rotateWith is given with resolution: ${resolution}.`, {
      remedy:
        resolution === TokenResolution.ROTATING
          ? "Leave it out: the token rotates by itself."
          : "Leave it out, or use TokenResolution.EPHEMERAL.",
    });
  }
  if (minRemaining !== undefined) {
    mistakes.add("ERR_PROP_INVALID", "Both rotateWith and minRemaining are given.", {
      remedy:
        "Leave minRemaining out: how long the token must live follows from the rotation's schedule.",
    });
  }
  if (revokeOnClose === true) {
    mistakes.add(
      "ERR_PROP_INVALID",
      "revokeOnClose is given with rotateWith: the token would be dead where it was pushed to.",
      { remedy: "Leave it out." },
    );
  }
  checkSameStack("rotation", rotateWith, token, mistakes);
}
