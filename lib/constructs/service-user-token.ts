import { type ITerraformDependable, type ITerraformIterator, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_TOKEN } from "../provider/names";
import { defined, IamTokensError, KIND_OF_SCOPE } from "../tokens";
import { AuthenticationToken } from "./authentication-token";
import type { TokenDeclaration } from "./declarations/registry";
import { idOf } from "./framework/internals";
import { IDENTITY, type IdentityService } from "./identity-service";
import { RESOLUTION, type TokenResolution } from "./token-resolution";
import { assertSameStack, withPath } from "./values/checks";
import { assertKind, TEXT } from "./values/kinds";
import { assertScope, SCOPE, type TokenScope } from "./values/token";

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
   * @default TokenResolution.ephemeral()
   */
  readonly resolution?: TokenResolution;
  /**
   * Addresses that the token is used for. Each must be below the identity service's `baseUrl`.
   * Synthesis checks literal addresses; the provider checks Terraform expressions.
   *
   * @default - any address
   */
  readonly destinations?: string[];
  /**
   * Strings that must be known before the token is requested: the result of a module, for example.
   * They are sent nowhere.
   *
   * @default - the token is requested as soon as Terraform needs it
   * @see docs/using-tokens.md
   */
  readonly after?: string[];
  /**
   * The token is requested after these. An ephemeral token waits for the apply that creates or
   * replaces one of them: the ids of resources are added to `after`.
   *
   * @default - only what the properties refer to
   */
  readonly dependsOn?: ITerraformDependable[];
  /**
   * A token for each element of a list or map, as of a resource: `iterator.value` is the element,
   * in `scope` for example. In a construct with the same `forEach`, `value` is that of the element;
   * elsewhere, `valueAt("web")` is that of `web`.
   *
   * @default - one token
   * @see docs/using-tokens.md
   */
  readonly forEach?: ITerraformIterator;
}

/**
 * An IAM token, issued to a service user when Terraform needs it. It lives 24 hours, or as long as
 * the cloud says, and requests carry it in `X-Auth-Token`.
 *
 * A wrong type, a literal secret and a construct that does not fit are errors at once; values and
 * uses are judged at synthesis, all together. The codes are in docs/api/errors.md.
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
  constructor(scope: Construct, id: string, props: ServiceUserTokenProps) {
    super(scope, id, props, (token, resolution) => declarationOf(token, props, resolution));
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
   * already knows it. After `-replace` it is 1 again: arguments that end in `_wo_version` take the
   * `version` of the rotation. For any other token it gives ERR_PROP_INVALID.
   */
  get rotation(): number {
    this.assertRotates();
    return this.resolution._rotateWith?.rotation ?? this._numberAttribute("rotation");
  }

  /**
   * `"ID/ROTATION"`: like `rotation`, but unique even after `-replace`. For triggers.
   */
  get rotationId(): string {
    this.assertRotates();
    return (
      this.resolution._rotateWith?.rotationId ??
      `${this._attribute("id")}/${this._attribute("rotation")}`
    );
  }

  /**
   * From this time on, the next apply rotates (RFC 3339, UTC). As an output, it lets an alarm
   * detect missed runs.
   */
  get rotateAt(): string {
    this.assertRotates();
    return this.resolution._rotateWith?.rotateAt ?? this._attribute("rotate_at");
  }

  /**
   * With `forEach`: the token of one element, for a construct without that `forEach`, such as a
   * provider.
   *
   * @param key the element, or its key in a map
   */
  valueAt(key: string): string {
    withPath(this, () => assertKind("The argument of valueAt", key, TEXT));
    return this._attribute("token", key);
  }

  /** @internal */
  get _rotates(): boolean {
    const { name, _rotateWith } = this.resolution;
    return name === "rotating" || _rotateWith !== undefined;
  }

  private assertRotates(): void {
    if (this._rotates) return;
    withPath(this, () => {
      throw new IamTokensError(
        "ERR_PROP_INVALID",
        `The token with resolution: ${this.resolution.name} does not rotate, but its rotation was read.`,
        {
          allowed:
            "a token with TokenResolution.rotating(…), or TokenResolution.ephemeral({ rotateWith })",
        },
      );
    });
  }
}

function declarationOf(
  token: AuthenticationToken,
  props: ServiceUserTokenProps,
  resolution: TokenResolution,
): TokenDeclaration {
  const { identity, scope, dependsOn = [], forEach } = props;
  assertKind("identity", identity, IDENTITY);
  assertKind("scope", scope, SCOPE);
  assertKind("resolution", resolution, RESOLUTION);
  const stack = TerraformStack.of(token);
  assertSameStack("identity service", identity, token);
  assertScope(scope, identity._way);
  const name = resolution._name;
  if (name === "synth") assertBeforeSynthesis(props);
  const rotateWith = resolution._rotateWith;
  if (rotateWith !== undefined) {
    assertSameStack("rotation", rotateWith, token);
    const pushed = { identity: identity._record, value: () => token.value };
    rotateWith._pushes(pushed, forEach !== undefined);
  }
  // Terraform opens an ephemeral block whatever it depends on, unless an argument is not known.
  const awaited = () => {
    const ids = name === "ephemeral" ? dependsOn.map((each) => idOf(each, stack)) : [];
    const after = [...(props.after ?? []), ...ids.filter((id) => id !== undefined)];
    return after.length > 0 ? { after } : {};
  };
  return {
    kind: scope.kind,
    blockType: IAM_TOKEN,
    resolution: name,
    isInState: resolution._isInState,
    baseUrl: identity._props.baseUrl,
    identity: identity._record,
    ...defined({ dependsOn: props.dependsOn, forEach }),
    arguments: () => ({
      scope: Object.entries(KIND_OF_SCOPE).find(([, kind]) => kind === scope.kind)?.[0],
      project_name: scope.projectName,
      project_id: scope.projectId,
      destinations: props.destinations,
      ...awaited(),
      ...resolution._arguments,
    }),
  };
}

function assertBeforeSynthesis(props: ServiceUserTokenProps): void {
  for (const name of ["after", "dependsOn", "forEach"] as const)
    if (props[name] !== undefined)
      throw new IamTokensError("ERR_PROP_INVALID", `${name} is given with resolution: synth.`, {
        remedy: "Remove it: before synthesis there is nothing to wait for, or to repeat.",
      });
}
