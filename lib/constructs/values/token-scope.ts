import { Brand } from "../../tokens/brand";
import { hasOwnProject, OWN_PROJECT, type WayName } from "../../tokens/ways";
import type { Mistakes } from "../props/mistakes";
import { quoted } from "../props/quoted";
import { TokenKind } from "./token-kind";

const BRAND = new Brand<TokenScope>("TokenScope");

/**
 * Scope of an IAM token: the account, or one project. There is no default.
 *
 * Errors at synthesis: ERR_SCOPE_INVALID without a project name, ERR_NAME_INVALID for a wrong one.
 *
 * @see docs/using-tokens.md
 * @example
 * TokenScope.account();
 * TokenScope.project("web");
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
   * @param name the project's name (not its id); may be a Terraform expression. Without one: the
   * own project of an application credential, or the project of the environment or the cloud.
   */
  static project(name?: string): TokenScope {
    return new TokenScope(TokenKind.IAM_TOKEN_PROJECT_SCOPED, name);
  }

  /** @internal */
  static _is(value: unknown): value is TokenScope {
    return BRAND.isOn(value);
  }

  /** The kind of token for this scope. */
  readonly kind: TokenKind;
  /** Name of the project; undefined for the account. */
  readonly projectName?: string;

  private constructor(kind: TokenKind, projectName: string | undefined) {
    this.kind = kind;
    if (projectName !== undefined) this.projectName = projectName;
    BRAND.putOn(this);
  }
}

/**
 * The scope that a user gave; undefined if there is none, or a wrong one.
 *
 * @param way the service's way of signing in; undefined if only the provider will know it
 */
export function checkScope(
  scope: unknown,
  mistakes: Mistakes,
  way?: WayName,
): TokenScope | undefined {
  if (!TokenScope._is(scope)) {
    mistakes.add(
      "ERR_SCOPE_INVALID",
      `scope is ${scope === undefined ? "missing" : quoted(scope)}.`,
      {
        allowed: 'TokenScope.account(), TokenScope.project("name")',
        remedy: "Give the scope; there is no default.",
      },
    );
    return undefined;
  }
  const isProject = scope.kind === TokenKind.IAM_TOKEN_PROJECT_SCOPED;
  if (isProject && (scope.projectName === undefined || scope.projectName === null)) {
    if (way !== undefined && !hasOwnProject(way))
      mistakes.add("ERR_SCOPE_INVALID", "scope is TokenScope.project without a project.", {
        allowed: "the name of a project; only an application credential has a project of its own",
        remedy: 'Give the project\'s name: TokenScope.project("name").',
      });
  } else if (!isProject && way !== undefined && hasOwnProject(way)) {
    mistakes.add("ERR_SCOPE_INVALID", `scope is TokenScope.account, but ${OWN_PROJECT}.`, {
      remedy: "Give TokenScope.project(), or another way of signing in.",
    });
  }
  return scope;
}
