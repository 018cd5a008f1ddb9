import { AnnotationMetadataEntryType } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { printable } from "../tokens";
import { withPath } from "./values/checks";
import { assertKind, kind } from "./values/kinds";

/**
 * Warnings of a synthesis by code, and when each occurs. The codes are stable: users acknowledge by
 * them.
 */
export const WARNINGS = {
  WARN_TOKEN_ON_COMMAND_LINE:
    "A token is part of a command line, which all users of the machine can see.",
  WARN_OPENSTACK_VARIABLES:
    "The OpenStack provider has a token, and reads the same variables as the identity service; some of these make it ignore the token.",
  WARN_MAY_MANAGE_UNKNOWN:
    "The documentation does not say whether the token's kind may manage the area.",
  WARN_REMOTE_RUNS: "The stack runs remotely, on a machine that may lack Node.js and the secret.",
  WARN_VALUES_NOT_IGNORED:
    "The .gitignore in the stack's folder is your own, and does not list the file that holds tokens.",
  WARN_LOCK_FILE_UNREADABLE: "The stack's lock file cannot be parsed, and was not changed.",
  WARN_ISSUED_WITH_REMARK:
    "A token was issued with a warning: this machine's clock is off, or a setting has no effect.",
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof WARNINGS;

export const isWarning = (code: string): code is WarningCode => Object.hasOwn(WARNINGS, code);

/**
 * On a construct: the codes that are acknowledged for everything in it. As a symbol, it holds for
 * all copies of the package.
 */
const ACKNOWLEDGED = Symbol.for("cdktf-iam-tokens/TokenWarnings");

type Marked = { [ACKNOWLEDGED]?: Set<string> };

function isAcknowledged(construct: IConstruct, code: WarningCode): boolean {
  return construct.node.scopes.some((scope) =>
    (scope as IConstruct & Marked)[ACKNOWLEDGED]?.has(code),
  );
}

/** How many users a message names. */
const NAMED = 5;

/**
 * Warns at a construct, unless the user has acknowledged it. The construct may be surveyed more
 * than once: validated again, or in a stack inside another.
 */
export function warnOnce(construct: IConstruct, code: WarningCode, text: string): void {
  const level = AnnotationMetadataEntryType.WARN;
  const message = printable(`${text} [${code}]`);
  const isThere = construct.node.metadata.some((entry) => entry.data === message);
  if (isThere || isAcknowledged(construct, code)) return;
  // As cdktf's Annotations do, but without a stack trace: it costs 0.15 ms, and would lead to the
  // synthesis, not to the declaration.
  construct.node.addMetadata(level, message);
}

/** The names for a message: each once, and not too many. */
export function namesOf(all: readonly string[]): string {
  const names = [...new Set(all)];
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/**
 * The warnings of this package at synthesis. Each ends with its code in brackets. Once you
 * acknowledge that code, synthesis no longer gives the warning.
 *
 * By default, all are given. Errors, and messages of Terraform runs, cannot be acknowledged.
 *
 * @see docs/api/errors.md, which lists the codes
 * @example
 * // The agents of this workspace have Node.js and the secret.
 * TokenWarnings.of(stack).acknowledge("WARN_REMOTE_RUNS");
 */
export class TokenWarnings {
  /** @param scope the app, a stack or a construct: includes everything in it */
  static of(scope: IConstruct): TokenWarnings {
    assertKind("The argument of TokenWarnings.of", scope, SCOPE);
    return new TokenWarnings(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Acknowledges warnings, before or after the declaration that causes them. An unknown code gives
   * ERR_PROP_INVALID.
   *
   * @param codes the codes at the end of the warnings, such as `WARN_REMOTE_RUNS`
   */
  acknowledge(...codes: string[]): void {
    withPath(this.scope, () => {
      for (const code of codes) assertKind("The argument of acknowledge", code, CODE);
    });
    const marked: IConstruct & Marked = this.scope;
    const value = new Set([...(marked[ACKNOWLEDGED] ?? []), ...codes]);
    Object.defineProperty(marked, ACKNOWLEDGED, { value, configurable: true });
  }
}

const SCOPE = kind("the app, a stack or a construct", Construct.isConstruct);

const CODE = kind(
  Object.keys(WARNINGS).join(", "),
  (value) => typeof value === "string" && Object.hasOwn(WARNINGS, value),
);
