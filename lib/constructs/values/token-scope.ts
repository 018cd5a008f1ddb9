import type { Mistakes } from "../props/mistakes";
import { shown } from "../props/shown";
import { checkProjectName } from "../props/texts";
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

/** The scope that a user gave; undefined when none was, or a wrong one. */
export function checkScope(scope: unknown, mistakes: Mistakes): TokenScope | undefined {
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
      checkProjectName("The project's name", scope.projectName, mistakes);
    }
  }
  return scope;
}
