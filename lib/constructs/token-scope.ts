import { TokenKind } from "./token-kind";

const BRAND = Symbol.for("cdktf-iam-tokens/TokenScope");

/**
 * What an IAM token is issued for: the account, or one project. There is no default.
 *
 * @see spec, "Issue an IAM token": `auth.scope.domain` or `auth.scope.project`
 * @example
 * TokenScope.account()
 * TokenScope.project("web")
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
   * this project chosen.
   *
   * @param name the project's name (not its id); may be a Terraform expression
   */
  static project(name: string): TokenScope {
    return new TokenScope(TokenKind.IAM_TOKEN_PROJECT_SCOPED, name);
  }

  /**
   * By a brand and not by instanceof: two copies of the package in one program still know each
   * other's scopes. @internal
   */
  static _is(value: unknown): value is TokenScope {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** The kind of token that this scope asks for. */
  readonly kind: TokenKind;
  /** Name of the project; none for the account. */
  readonly projectName?: string;

  private constructor(kind: TokenKind, projectName: string | undefined) {
    this.kind = kind;
    if (projectName !== undefined) this.projectName = projectName;
    Object.defineProperty(this, BRAND, { value: true });
  }
}
