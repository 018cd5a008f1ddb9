import { Brand, IamTokensError } from "../../tokens";
import { hasOwnProject, OWN_PROJECT, type WayName } from "../../tokens/ways";
import { isInOtherLanguage } from "../framework/internals";
import { assertKind, kind, member, TEXT } from "./props";

/**
 * The kinds of token, by the identifiers of the service.
 *
 * @see docs/product-areas.md
 */
export enum TokenKind {
  /**
   * For resources bound to the account; issued to service users; 24 hours; sent in X-Auth-Token.
   */
  IAM_TOKEN_ACCOUNT_SCOPED = "iam_token_account_scoped",
  /**
   * For resources bound to one project; issued to service users; 24 hours; sent in X-Auth-Token.
   */
  IAM_TOKEN_PROJECT_SCOPED = "iam_token_project_scoped",
  /** For resources bound to the account; made in the control panel; no expiry; sent in X-Token. */
  STATIC_TOKEN = "static_token",
}

/**
 * Scope of an IAM token: the account, or one project. There is no default.
 *
 * Errors at synthesis: ERR_SCOPE_INVALID without a project, ERR_NAME_INVALID for a wrong name or
 * id.
 *
 * @see docs/using-tokens.md
 * @example
 * TokenScope.account();
 * TokenScope.project("web");
 * TokenScope.projectById("0123456789abcdef0123456789abcdef");
 */
export class TokenScope {
  /**
   * For resources bound to the account. The service user's permission needs the access area
   * Account.
   */
  static account(): TokenScope {
    return new TokenScope(TokenKind.IAM_TOKEN_ACCOUNT_SCOPED, undefined);
  }

  /**
   * For resources of one project. The permission needs the access area Account, or Projects with
   * this project selected.
   *
   * @param name the project's name; may be a Terraform expression. Without one: the
   * own project of an application credential, or the project of the environment or the cloud.
   */
  static project(name?: string): TokenScope {
    // A variable that is not set is not the same as no name. jsii passes all parameters.
    // biome-ignore lint/complexity/noArguments: only it tells the two apart
    if (name !== undefined || (arguments.length > 0 && !isInOtherLanguage()))
      assertKind("The argument of TokenScope.project", name, PROJECT_NAME);
    return new TokenScope(TokenKind.IAM_TOKEN_PROJECT_SCOPED, name);
  }

  /**
   * The same for a project by its id, which Keystone compares exactly: a project of any account in
   * which the user has a role.
   *
   * @param id the project's id; may be a Terraform expression, also of a project of the same apply
   */
  static projectById(id: string): TokenScope {
    assertKind("The argument of TokenScope.projectById", id, PROJECT_ID);
    return new TokenScope(TokenKind.IAM_TOKEN_PROJECT_SCOPED, undefined, id);
  }

  private constructor(
    /** The kind of token for this scope. */
    readonly kind: TokenKind,
    // Private: of a class without such a member, TypeScript takes anything alike for an instance.
    private readonly project: string | undefined,
    private readonly id?: string,
  ) {
    BRAND.putOn(this);
  }

  /** Name of the project; undefined for the account, and for a project by its id. */
  get projectName(): string | undefined {
    return this.project;
  }

  /** Id of the project; undefined for the account, and for a project by its name. */
  get projectId(): string | undefined {
    return this.id;
  }
}

const BRAND = new Brand<TokenScope>("TokenScope");

/** The code's remedy is in the words of plain HCL. */
const OF_SCOPE = { code: "ERR_SCOPE_INVALID", remedy: "Correct the property." } as const;

const PROJECT_NAME = kind(
  "the name of a project, as a string; without any: TokenScope.project()",
  TEXT.fits,
  OF_SCOPE,
);

const PROJECT_ID = kind("the id of a project, as a string", TEXT.fits, OF_SCOPE);

export const SCOPE = kind(
  'TokenScope.account(), TokenScope.project("name")',
  (value) => BRAND.isOn(value),
  OF_SCOPE,
);

/**
 * Refuses a scope that a way of signing in does not have.
 *
 * @param way undefined if only the provider will know it
 */
export function assertScope(
  { kind, projectName, projectId }: TokenScope,
  way: WayName | undefined,
): void {
  if (way === undefined) return;
  const isOwn = hasOwnProject(way);
  if (kind === TokenKind.IAM_TOKEN_ACCOUNT_SCOPED && isOwn)
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      `scope is TokenScope.account, but ${OWN_PROJECT}.`,
      {
        remedy: "Give TokenScope.project(), or another way of signing in.",
      },
    );
  if (
    kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED &&
    (projectName ?? projectId) === undefined &&
    !isOwn
  )
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      "scope is TokenScope.project without a project.",
      {
        allowed: "a project; only an application credential has a project of its own",
        remedy: 'Give the project: TokenScope.project("name"), or TokenScope.projectById("id").',
      },
    );
}

/** How consumers get a token. @see docs/using-tokens.md */
export enum TokenResolution {
  /**
   * An `ephemeral` block: the token is stored nowhere. For provider blocks, write-only arguments
   * and provisioners. Needs Terraform 1.10 or OpenTofu 1.11.
   */
  EPHEMERAL = "ephemeral",
  /**
   * A `data` block: the token is in plan and state, as a sensitive value. For ordinary arguments
   * and outputs, and for older Terraform. Each plan gets a new token.
   */
  DATA = "data",
  /**
   * A `resource` block: the token is in the state, as a sensitive value, stays the same between
   * applies, and is rotated in place before it expires. For outputs, ordinary arguments and
   * scheduled applies; not for provider blocks, because the plan that rotates it does not know the
   * new token. IAM tokens only: a static token does not expire.
   */
  ROTATING = "rotating",
  /**
   * A Terraform variable, whose value `await resolveTokens(app)` issues before `app.synth()`. For
   * remote runs, and for machines where our provider cannot start. The variable is ephemeral, and
   * its value is in one file next to the stack that only its owner can read. With `allowInState:
   * true` it is an ordinary sensitive variable, for outputs and arguments; its value is then also
   * in saved plans and in the state.
   */
  SYNTH = "synth",
}

export const RESOLUTION = member("TokenResolution", TokenResolution);

/** Properties that belong to one resolution, and what a token of another one has instead. */
const OF_ONE = [
  ["allowInState", "SYNTH", ""],
  ["revokeOnClose", "EPHEMERAL", "A rotating token has revokeOnDestroy."],
  ["rotateWith", "EPHEMERAL", "A rotating token rotates by itself."],
  ["revokeOnDestroy", "ROTATING", "An ephemeral token has revokeOnClose."],
  ["verifyAtRefresh", "ROTATING", ""],
  ["schedule", "ROTATING", "A token that is pushed to another system has rotateWith."],
  ["rotateWhenRemaining", "ROTATING", ""],
  ["keepers", "ROTATING", ""],
] as const;

/** Refuses properties that belong to another resolution than the token's. */
export function assertResolution(props: object, resolution: TokenResolution): void {
  for (const [property, way, instead] of OF_ONE) {
    const value: unknown = Reflect.get(props, property);
    if (value === undefined || value === false || resolution === TokenResolution[way]) continue;
    throw new IamTokensError(
      "ERR_PROP_INVALID",
      `${property} is given with resolution: ${resolution}.`,
      { remedy: `Remove it, or use TokenResolution.${way}. ${instead}`.trimEnd() },
    );
  }
}
