import { IamTokensError } from "../../tokens";

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
  /** The subject: a provider block, or the environment. */
  readonly about?: string;
  /** The stacks of which this is true. */
  readonly stacks?: readonly string[];
}

export const ok = (text: string): Finding => ({ status: "ok", text });
export const skipped = (text: string): Finding => ({ status: "skipped", text });
const toFix = (status: Status) => (text: string, remedy: string) => ({ status, text, remedy });
export const warning = toFix("warning");
export const failure = toFix("failed");

/** Turns an error of this package into a failure; any other error is thrown again. */
export function failureOf(error: unknown): Finding {
  if (!IamTokensError.is(error)) throw error;
  const allowed = error.allowed === undefined ? "" : ` Allowed: ${error.allowed}.`;
  return failure(oneLine(`${error.problem}${allowed} [${error.code}]`), error.remedy);
}

/** A string on one line; only the items of a list keep their lines. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\n\s*(- )?/g, (_, item?: string) => (item ? `\n${item}` : " "));
}
