import { IamTokensError, printable } from "../../tokens";
import { type CliContext, mayColour, mayDrawSigns, type Terminal } from "../cli-context";

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

export type Findings = Finding | readonly Finding[];

export const ok = (text: string): Finding => ({ status: "ok", text });
export const skipped = (text: string): Finding => ({ status: "skipped", text });
export const warning = (text: string, remedy: string): Finding => ({
  status: "warning",
  text,
  remedy,
});
export const failure = (text: string, remedy: string): Finding => ({
  status: "failed",
  text,
  remedy,
});

/**
 * Turns an error of this package into a failure; any other error is thrown again.
 *
 * @param about the subject, for the beginning of the line
 */
export function failureOf(error: unknown, about?: string): Finding {
  if (!IamTokensError.is(error)) throw error;
  const allowed = error.allowed === undefined ? "" : ` Allowed: ${error.allowed}.`;
  const text = `${about === undefined ? "" : `${about}: `}${error.problem}${allowed} [${error.code}]`;
  return failure(oneLine(text), error.remedy);
}

/** A text on one line; only the items of a list keep their lines. */
export function oneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line, index) => (index === 0 ? "" : line.startsWith("- ") ? "\n" : " ") + line)
    .join("");
}

/** Whether a remedy may name `iam-tokens run`: on Windows it fails (ERR_RUN_UNSUPPORTED). */
export const hasRun = (): boolean => process.platform !== "win32";

/** The findings or, without any, the one for success. */
export function findingsOr(found: readonly Finding[], fine: () => Finding): readonly Finding[] {
  return found.length > 0 ? found : [fine()];
}

const SIGNS: Readonly<Record<Status, { readonly mark: string; readonly colour: number }>> = {
  ok: { mark: "✔", colour: 32 },
  warning: { mark: "!", colour: 33 },
  failed: { mark: "✘", colour: 31 },
  skipped: { mark: "-", colour: 2 },
};

const WORD_WIDTH = "warning".length;

/** Width of the longest name of a check. */
const NAME_WIDTH = 18;

/**
 * The printed form of a finding: a line, and another for the next step. With marks on a screen that
 * supports them, otherwise with words.
 */
export function lineOf(
  stdout: Terminal,
  env: CliContext["env"],
): (examined: Finding & { readonly check: string }) => string {
  const marks = mayDrawSigns(stdout, env);
  return ({ check, status, text, remedy }) => {
    const { mark, colour } = SIGNS[status];
    const sign = marks ? mark : status.padEnd(WORD_WIDTH);
    const painted = mayColour(stdout, env) ? `\u001b[${colour}m${sign}\u001b[0m` : sign;
    const indent = " ".repeat(sign.length + 1 + NAME_WIDTH);
    // Names of files and stacks may contain characters that a terminal or a CI system interprets.
    const lines = text.split(/\n(?=- )/).map(printable);
    const next = remedy === undefined ? "" : `${indent} -> ${printable(remedy)}\n`;
    return `${painted} ${check.padEnd(NAME_WIDTH)} ${lines.join(`\n${indent} `)}\n${next}`;
  };
}
