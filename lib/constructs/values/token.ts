import { Brand } from "../../tokens/brand";
import { hasOwnProject, OWN_PROJECT, type WayName } from "../../tokens/ways";
import { type Mistakes, quoted } from "./checks";

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

/** The resolution that a user chose; ephemeral if there is none, or a wrong one. */
export function checkResolution(
  value: unknown,
  mistakes: Mistakes,
  ways: readonly TokenResolution[] = Object.values(TokenResolution),
): TokenResolution {
  const chosen =
    value === undefined ? TokenResolution.EPHEMERAL : ways.find((way) => way === value);
  if (chosen !== undefined) return chosen;
  mistakes.add("ERR_PROP_INVALID", `resolution is ${quoted(value)}.`, {
    allowed: ways.map((way) => `TokenResolution.${way.toUpperCase()}`).join(", "),
    ...(value === TokenResolution.ROTATING
      ? { remedy: "A static token does not expire: there is nothing to rotate." }
      : {}),
  });
  return TokenResolution.EPHEMERAL;
}

/**
 * Whether the value of a token that is resolved before synthesis may be in plan and state; other
 * ways have no choice.
 */
export function checkAllowInState(
  value: unknown,
  resolution: TokenResolution,
  mistakes: Mistakes,
): boolean {
  if (value !== undefined && resolution !== TokenResolution.SYNTH) {
    mistakes.add("ERR_PROP_INVALID", `allowInState is given with resolution: ${resolution}.`, {
      remedy: "Remove it, or use TokenResolution.SYNTH.",
    });
  }
  return value === true;
}
