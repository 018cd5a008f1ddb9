import { IamTokensError, printable } from "../../tokens";
import { inShellWords } from "../shell-words";

/**
 * Printed as it is, in lines and in JSON. `skipped`: not checked, for the reason in the text. Only
 * `failed` makes the command fail.
 */
type Status = "ok" | "warning" | "failed" | "skipped";

/** Result of a check of one thing. Contains no secrets. */
export interface Finding {
  readonly status: Status;
  /** One or two sentences. */
  readonly text: string;
  /** The next step; every failure has one. */
  readonly remedy?: string;
}

export const ok = (text: string): Finding => ({ status: "ok", text });
const toFix = (status: Status) => (text: string, remedy: string) => ({ status, text, remedy });
export const warning = toFix("warning");
export const failure = toFix("failed");
export const skipped = (text: string, remedy?: string): Finding => ({
  ...{ status: "skipped", text },
  ...(remedy !== undefined && { remedy }),
});

/** Turns an error of this package into a failure; any other error is thrown again. */
export function failureOf(error: unknown): Finding {
  const said = inShellWords(error);
  if (!IamTokensError.is(said)) throw error;
  const allowed = said.allowed === undefined ? "" : ` Allowed: ${said.allowed}.`;
  return failure(oneLine(`${said.problem}${allowed} [${said.code}]`), said.remedy);
}

/** A string on one line; only the items of a list keep their lines. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\n\s*(- )?/g, (_, item?: string) => (item ? `\n${item}` : " "));
}

/** Width of the longest name of a check. */
const NAME_WIDTH = 16;

/** The printed form of a finding: a line, and another for the next step. */
export function lineOf(check: string, { status, text, remedy }: Finding): string {
  const word = status.padEnd("warning".length);
  const indent = " ".repeat(word.length + 1 + NAME_WIDTH);
  // Names of files and stacks may contain characters that a terminal or a CI system interprets.
  const lines = text.split(/\n(?=- )/).map(printable);
  const next = remedy === undefined ? "" : `${indent} -> ${printable(remedy)}\n`;
  return `${word} ${check.padEnd(NAME_WIDTH)} ${lines.join(`\n${indent} `)}\n${next}`;
}
