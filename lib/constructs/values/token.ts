import { Brand, IamTokensError } from "../../tokens";
import { hasOwnProject, OWN_PROJECT, type WayName } from "../../tokens/ways";
import { assertKind, kind, TEXT } from "./kinds";

/**
 * The kinds of token, by the identifiers of the service.
 *
 * @see docs/api/product-areas.md
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
 * TokenScope.ownProject();
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
   * @param name the project's name; may be a Terraform expression
   */
  static project(name: string): TokenScope {
    assertKind("The argument of TokenScope.project", name, PROJECT_NAME);
    return new TokenScope(TokenKind.IAM_TOKEN_PROJECT_SCOPED, name);
  }

  /**
   * The project that comes with the credentials: the own one of an application credential, or that
   * of the environment (OS_PROJECT_NAME) or of the entry of clouds.yaml.
   */
  static ownProject(): TokenScope {
    return new TokenScope(TokenKind.IAM_TOKEN_PROJECT_SCOPED, undefined);
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

/** Replaces the code's remedy, which speaks of HCL. */
const OF_SCOPE = { code: "ERR_SCOPE_INVALID", remedy: "Correct the property." } as const;

const PROJECT_NAME = kind(
  "the name of a project, as a string; the project of the credentials: TokenScope.ownProject()",
  TEXT.fits,
  OF_SCOPE,
);

const PROJECT_ID = kind("the id of a project, as a string", TEXT.fits, OF_SCOPE);

export const SCOPE = kind(
  'TokenScope.account(), TokenScope.project("name"), TokenScope.projectById("id"), TokenScope.ownProject()',
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
        remedy: "Give TokenScope.ownProject(), or another way of signing in.",
      },
    );
  if (
    kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED &&
    (projectName ?? projectId) === undefined &&
    !isOwn
  )
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      "scope is TokenScope.ownProject, but the way of signing in has no project.",
      {
        allowed: "a project; only an application credential has a project of its own",
        remedy: 'Give the project: TokenScope.project("name"), or TokenScope.projectById("id").',
      },
    );
}
