import { AnnotationMetadataEntryType } from "cdktf";
import type { IConstruct } from "constructs";
import { printable } from "../tokens";

/** Warnings of a synthesis by code, and when each occurs. */
export const WARNINGS = {
  WARN_TOKEN_ON_COMMAND_LINE:
    "A token is part of a command line, which all users of the machine can see.",
  WARN_OPENSTACK_VARIABLES:
    "The OpenStack provider has a token, and reads the same variables as the identity service; some of these make it ignore the token.",
  WARN_TOKEN_UNKNOWN:
    "A token in a provider block waits for an apply: a plan that changes what it waits for signs in without it.",
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

/** How many users a message names. */
const NAMED = 5;

/** Warns at a construct, once: its stack may be written more than once. */
export function warnOnce(construct: IConstruct, code: WarningCode, text: string): void {
  const level = AnnotationMetadataEntryType.WARN;
  const message = printable(`${text} [${code}]`);
  if (construct.node.metadata.some((entry) => entry.data === message)) return;
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
