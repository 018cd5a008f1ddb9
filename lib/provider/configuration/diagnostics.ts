import { faultName } from "../../plugin/faults";
import type { AttributePath, Diagnostic } from "../../plugin/provider";
import { abridged, defined, ERROR_CODES, IamTokensError, printable } from "../../tokens";
import { masked } from "../secrets/known-secrets";

/**
 * The diagnostic of an error: its fact with the code in the summary, the rest in the detail. For a
 * foreign error, it contains only the class: the message could contain a secret.
 */
export function toDiagnostic(error: unknown, path?: AttributePath): Diagnostic {
  if (!IamTokensError.is(error)) {
    const summary = "Internal error in the iam provider";
    return bounded({ severity: "error", summary, detail: detailOf(error), ...defined({ path }) });
  }
  const { code, headline, explanation } = error;
  const isShort = headline.length <= HEADLINE_LENGTH;
  const summary = (isShort ? headline : ERROR_CODES[code][0]).replace(/\.$/, "");
  const isTold = isShort && error.parts.headline === undefined;
  const detail = detailOf(error, isTold ? explanation : undefined);
  const place = defined({ path, cause: error });
  return bounded({ severity: "error", summary: `${summary} [${code}]`, detail, ...place });
}

/** The same, as a warning. */
export function toWarning(summary: string, error: unknown): Diagnostic {
  return warning(summary, detailOf(error));
}

/** A warning without a place. */
export function warning(summary: string, detail: string): Diagnostic {
  return bounded({ severity: "warning", summary, detail });
}

/**
 * A diagnostic as one text, for whoever has no Terraform: the problem, what is allowed, the next
 * step and the code.
 */
export function messageOf(
  { summary, detail, cause }: Diagnostic,
  inWords = (error: IamTokensError) => error,
): string {
  return IamTokensError.is(cause)
    ? printed(inWords(cause).message, DETAIL_LENGTH)
    : `${summary}. ${detail}`;
}

/** @param problem what is not in the summary */
function detailOf(error: unknown, problem?: string): string {
  if (!IamTokensError.is(error))
    return `The provider failed with an unexpected error (${faultName(error)}). Its message is not printed because it could hold a secret. Please report what you were doing.`;
  const { allowed, remedy } = error;
  const values = allowed === undefined ? "" : `Allowed: ${allowed}.`;
  return [problem ?? error.problem, values, remedy].filter((line) => line !== "").join("\n");
}

/** Maximum length of a message's detail: more than the longest list of causes. */
const DETAIL_LENGTH = 3_000;

function bounded(diagnostic: Diagnostic): Diagnostic {
  const { summary, detail } = diagnostic;
  return {
    ...diagnostic,
    summary: printed(summary, HEADLINE_LENGTH * 2),
    detail: printed(detail, DETAIL_LENGTH),
  };
}

/**
 * A string for users: without secrets that this process has read, not endless, and without commands
 * that CI systems obey.
 */
function printed(text: string, length: number): string {
  return printable(abridged(masked(text), length), "lines");
}

/**
 * Maximum length of a headline: about two lines of a terminal. A longer fact is in the detail, under
 * the meaning of the code: CI systems print only headlines.
 */
const HEADLINE_LENGTH = 160;

/**
 * An error for whoever reads it. Under `iam-tokens run`, the variables, files, commands and clouds
 * that it names are not those of the Terraform that prints it.
 */
export function inRun<E>(error: E, attached: boolean): E | IamTokensError {
  if (!attached || !IamTokensError.is(error) || !error.ofProcess) return error;
  return error.adding(
    "Variables and the working folder are those of iam-tokens run when it started, not those of this Terraform.",
  );
}
