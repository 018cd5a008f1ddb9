import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { IAM_TOKEN } from "../provider/names";
import { headerNameOf } from "../tokens";
import type { IAuthenticationToken } from "./authentication-token";
import { checkResolution, DeclaredToken } from "./declared-token";
import { IdentityService } from "./identity-service";
import type { MayManage } from "./may-manage";
import type { ProductArea } from "./product-area";
import { checkAllowInState } from "./props/allow-in-state";
import { checkDestinations, UNRESTRICTED } from "./props/destinations";
import { emittable } from "./props/expression";
import { Mistakes } from "./props/mistakes";
import { checkIssuing } from "./props/permission";
import { checkFlag, checkProps } from "./props/props";
import { checkPushed } from "./props/pushed";
import { checkRotating } from "./props/rotating";
import { shown } from "./props/shown";
import { checkLifeLeft, checkName } from "./props/texts";
import { reopen } from "./reopening";
import type { RotationSchedule } from "./rotation-schedule";
import { TokenKind } from "./token-kind";
import { TokenResolution } from "./token-resolution";
import type { TokenRotation } from "./token-rotation";
import { TokenScope } from "./token-scope";

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
export class ServiceUserToken extends Construct implements IAuthenticationToken {
  readonly kind: TokenKind;
  readonly resolution: TokenResolution;
  private readonly declared: DeclaredToken;
  private readonly mistakes = new Mistakes();
  private readonly rotateWith: TokenRotation | undefined;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceUserTokenProps,
  ) {
    super(scope, id);
    Object.defineProperty(this, BRAND, { value: true });
    const { mistakes } = this;
    const given = checkProps(props, KNOWN, mistakes);
    const identity = checkIdentity(given.identity, this, mistakes);
    const tokenScope = checkScope(given.scope, mistakes);
    this.kind = tokenScope?.kind ?? TokenKind.IAM_TOKEN_ACCOUNT_SCOPED;
    this.resolution = checkResolution(given.resolution, mistakes);
    checkLifeLeft("minRemaining", given.minRemaining, mistakes);
    checkIssuing(tokenScope, identity?._permission, mistakes);
    const baseUrl = identity?._baseUrl ?? UNRESTRICTED;
    const destinations = checkDestinations(given.destinations, baseUrl, mistakes);
    const revokeOnClose = checkFlag("revokeOnClose", given.revokeOnClose, mistakes);
    const allowInState = checkAllowInState(given.allowInState, this.resolution, mistakes);
    if (revokeOnClose && this.resolution !== TokenResolution.EPHEMERAL) {
      mistakes.add(
        "ERR_PROP_INVALID",
        `revokeOnClose is given with resolution: ${this.resolution}, which has no moment to revoke at.`,
        { remedy: "Leave it out, or use TokenResolution.EPHEMERAL." },
      );
    }
    this.rotateWith = checkPushed(this, given, this.resolution, mistakes);
    checkLifeLeft(
      "What the rotation's schedule asks a token to have left",
      this.rotateWith?._minRemaining,
      mistakes,
    );
    const rotating = checkRotating(given, this.resolution, mistakes);
    const forProject = this.kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED;
    this.declared = new DeclaredToken(this, {
      blockType: IAM_TOKEN,
      resolution: this.resolution,
      allowInState,
      mistakes,
      baseUrl,
      arguments: () => ({
        provider: identity?.providerConfiguration,
        scope: tokenScope && (forProject ? "project" : "account"),
        project_name: forProject ? emittable(tokenScope?.projectName) : undefined,
        min_remaining: this.rotateWith?._minRemaining ?? emittable(given.minRemaining),
        destinations,
        revoke_on_close: revokeOnClose,
        ...rotating,
      }),
    });
  }

  /**
   * By a brand and not by instanceof: two copies of the package in one program know each other's.
   * @internal
   */
  static _is(value: unknown): value is ServiceUserToken {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** Whether the token has a rotation: its own, or the one that it is pushed with. @internal */
  get _rotates(): boolean {
    return this.rotateWith !== undefined || this.resolution === TokenResolution.ROTATING;
  }

  /** `X-Auth-Token`. @see spec, "Authentication", 1 */
  get headerName(): string {
    return headerNameOf(this.kind);
  }

  /** The token itself, sensitive. */
  get value(): string {
    return this.declared.attribute("token");
  }

  /**
   * The header with the token, as a map: what a provider or a request takes as its headers.
   * Sensitive.
   */
  get headers(): { [name: string]: string } {
    return this.declared.headers;
  }

  /**
   * The header with the token for a request to this address, as a map. Sensitive.
   *
   * An address that the program knows is checked against the base address when it is synthesized.
   * For a Terraform expression the token is declared once more, for that address alone: it comes
   * from the same request, and is unknown until the address is known.
   *
   * Reported when the program is synthesized: ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED.
   *
   * @see spec, "Authentication", 7
   * @example
   * token.headersFor("https://api.example.com/dns")
   */
  headersFor(url: string): { [name: string]: string } {
    return this.declared.forDestination(url).headers;
  }

  /** The token itself for a request to this address; sensitive. Otherwise as `headersFor`. */
  valueFor(url: string): string {
    return this.declared.forDestination(url).value;
  }

  /**
   * Whether the token may manage an area. `MayManage.UNKNOWN`, where the spec does not show it, is
   * neither yes nor no.
   *
   * @see spec, "What each token kind manages"
   */
  mayManage(area: ProductArea): MayManage {
    return this.declared.mayManage(area);
  }

  /**
   * Says what the token is for. Reported when the program is synthesized: ERR_KIND_UNSUITABLE, with
   * the kinds that may, when it may not manage the area; a warning when that is not known.
   *
   * @example token.assertMayManage(ProductArea.CLOUD_DATABASES);
   */
  assertMayManage(area: ProductArea): void {
    this.declared.assertMayManage(area);
  }

  /** When the token was issued (RFC 3339, UTC). */
  get issuedAt(): string {
    return this.declared.attribute("issued_at");
  }

  /** When the token expires (RFC 3339, UTC). */
  get expiresAt(): string {
    return this.declared.attribute("expires_at");
  }

  /** The first 12 hex digits of a SHA-256 of the token: safe to print, equal for equal tokens. */
  get fingerprint(): string {
    return this.declared.attribute("fingerprint");
  }

  /** The address of the service that issued the token, up to `/v3`. */
  get authUrl(): string {
    return this.declared.attribute("auth_url");
  }

  /**
   * How often the token was rotated, from 1: of a rotating token its own, of one with `rotateWith`
   * that rotation's. Known in the plan that rotates. For arguments that end in `_wo_version`; after
   * `-replace` it is 1 again. Of any other token ERR_PROP_INVALID.
   */
  get rotation(): number {
    if (!this.rotates("rotation")) return 0;
    return this.rotateWith?.rotation ?? this.declared.numberAttribute("rotation");
  }

  /**
   * `"ID/ROTATION"`: as `rotation`, but names each rotation once, also after `-replace`. For
   * triggers.
   */
  get rotationId(): string {
    if (!this.rotates("rotationId")) return "";
    return (
      this.rotateWith?.rotationId ??
      `${this.declared.attribute("id")}/${this.declared.attribute("rotation")}`
    );
  }

  /**
   * The token for a command that a provisioner runs: `NAME` has the token, `NAME_HEADER` the name
   * of the header to send it in.
   *
   * @param name of the variable: letters, digits and `_`, not beginning with a digit;
   * ERR_NAME_INVALID otherwise
   * @example
   * // printf is a part of the shell, and curl reads the header from its input: `ps` shows neither.
   * const command = 'printf "%s: %s" "$API_HEADER" "$API" | curl --fail -H @-
   * https://api.example.com/servers'; new DataResource(this, "call", { provisioners: [{ type:
   * "local-exec", command, environment: web.environment("API") }] });
   */
  environment(name: string): { [name: string]: string } {
    return this.declared.environment(name);
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
    return reopen<ServiceUserToken>(this, stack, (scope, id) => {
      const { identity } = this.props;
      const there = IdentityService._is(identity) ? identity.reopenIn(stack) : identity;
      return new ServiceUserToken(scope, id, {
        ...this.props,
        identity: there,
        ...this.rotationIn(stack),
      });
    });
  }

  private rotationIn(stack: TerraformStack): { readonly rotateWith?: TokenRotation } {
    return this.rotateWith === undefined ? {} : { rotateWith: this.rotateWith.reopenIn(stack) };
  }

  private rotates(asked: string): boolean {
    if (this._rotates) return true;
    this.mistakes.add(
      "ERR_PROP_INVALID",
      `${asked} was asked of a token with resolution: ${this.resolution}, which does not rotate.`,
      {
        allowed: "of a token with TokenResolution.ROTATING, or with rotateWith",
      },
    );
    return false;
  }

  /** The address of the token's block in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.declared.fqn;
  }
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
      {
        allowed: "an IdentityService of the same stack",
      },
    );
    return undefined;
  }
  const own = TerraformStack.of(scope);
  const its = TerraformStack.of(identity);
  if (own !== its) {
    mistakes.add(
      "ERR_OTHER_STACK",
      `The identity service ${identity.node.path} is of the stack ${its.node.path}.`,
      {
        remedy: `Use what its reopenIn(…) gives for the stack ${own.node.path}: the same service, declared there.`,
      },
    );
  }
  return identity;
}

function checkScope(scope: unknown, mistakes: Mistakes): TokenScope | undefined {
  if (!TokenScope._is(scope)) {
    mistakes.add(
      "ERR_SCOPE_INVALID",
      `scope is ${scope === undefined ? "missing" : shown(scope)}.`,
      {
        allowed: 'TokenScope.account(), TokenScope.project("name")',
        remedy: "Say what the token is for; there is no default.",
      },
    );
    return undefined;
  }
  if (scope.kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED) {
    if (scope.projectName === undefined || scope.projectName === null) {
      mistakes.add("ERR_SCOPE_INVALID", "scope is TokenScope.project of no project.", {
        allowed: "the name of a project",
        remedy: 'Give the project\'s name: TokenScope.project("name").',
      });
    } else {
      checkName("The project's name", scope.projectName, mistakes);
    }
  }
  return scope;
}
