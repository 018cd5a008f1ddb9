import type { IConstruct } from "constructs";
import { inert } from "../../tokens";

/**
 * Warnings of a synthesis by code, and when each occurs. The codes are stable: users acknowledge by
 * them.
 */
export const WARNINGS = {
  WARN_TOKEN_ON_COMMAND_LINE:
    "A token is part of a command line, which all users of the machine can see.",
  WARN_MAY_MANAGE_UNKNOWN:
    "The documentation does not say whether the token's kind may manage the area.",
  WARN_REMOTE_RUNS: "The stack runs remotely, on a machine that may lack Node.js and the secret.",
  WARN_PLATFORM: "The provider does not support the platform of the synthesis.",
  WARN_VALUES_UPLOADED:
    "Tokens are written (writeFile: true) to a folder that is uploaded, or that CI may keep.",
  WARN_VALUES_NOWHERE:
    "Tokens with resolution: synth were neither written to a file nor read by the program.",
  WARN_VALUES_NOT_IGNORED:
    "The .gitignore in the stack's folder is your own, and does not list the file that holds tokens.",
  WARN_LOCK_FILE_UNREADABLE: "The stack's lock file cannot be parsed, and was not changed.",
  WARN_ISSUED_WITH_REMARK:
    "A token was issued with a warning: this machine's clock is off, or a setting has no effect.",
} as const satisfies Record<string, string>;

export type WarningCode = keyof typeof WARNINGS;

/** A warning before it is given. */
export interface Warning {
  readonly code: WarningCode;
  readonly text: string;
}

/**
 * On a construct: the codes that are acknowledged for everything in it. As a symbol, it holds for
 * all copies of the package.
 */
const ACKNOWLEDGED = Symbol.for("cdktf-iam-tokens/TokenWarnings");

type Marked = { [ACKNOWLEDGED]?: Set<string> };

/** Acknowledges a warning for a construct and everything in it. */
export function acknowledge(scope: IConstruct, code: WarningCode): void {
  const marked = scope as IConstruct & Marked;
  const codes = marked[ACKNOWLEDGED] ?? new Set();
  Object.defineProperty(scope, ACKNOWLEDGED, { value: codes.add(code), configurable: true });
}

export function isAcknowledged(construct: IConstruct, code: WarningCode): boolean {
  return construct.node.scopes.some((scope) =>
    (scope as IConstruct & Marked)[ACKNOWLEDGED]?.has(code),
  );
}

/** A warning as it is printed. */
export function warningText({ code, text }: Warning): string {
  return inert(`${text} [${code}]`);
}
