import { faultName } from "../../plugin/faults";
import type { AttributePath, Diagnostic } from "../../plugin/provider";
import {
  abridged,
  defined,
  ERROR_CODES,
  type ErrorCode,
  IamTokensError,
  printable,
  words,
} from "../../tokens";
import { masked } from "../secrets/known-secrets";
import { EXPLAINED } from "./explained-once";

/**
 * The diagnostic of an error: code and kind of mistake in the summary, the rest in the detail. For
 * a foreign error, it contains only the class: the message could contain a secret.
 */
export function toDiagnostic(error: unknown, path?: AttributePath): Diagnostic {
  // A foreign error may hold a secret.
  const cause = IamTokensError.is(error) ? error : undefined;
  return bounded({ severity: "error", ...textOf(error), ...defined({ path, cause }) });
}

/** The same, as a warning. */
export function toWarning(summary: string, error: unknown): Diagnostic {
  return warning(summary, textOf(error).detail);
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
  inWords: (error: IamTokensError) => IamTokensError,
): string {
  return IamTokensError.is(cause)
    ? printed(inWords(cause).message, DETAIL_LENGTH)
    : `${summary}. ${detail}`;
}

function textOf(error: unknown): Pick<Diagnostic, "summary" | "detail"> {
  if (!IamTokensError.is(error)) {
    return {
      summary: "Internal error in the iam provider",
      detail: `The provider failed with an unexpected error (${faultName(error)}). Its message is not printed because it could hold a secret. Please report what you were doing.`,
    };
  }
  const { code, problem, allowed, remedy } = toDestroy(error, DESTROY_REMEDY);
  const values = allowed === undefined ? "" : `\nAllowed: ${allowed}.`;
  return {
    summary: `${headlineOf(error)} [${code}]`,
    detail: `${problem}${values}\n${remedy}`,
  };
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
 * A reader who runs Terraform may have no password any more, and nothing left that needs a token.
 */
const WITHOUT_SECRET: readonly ErrorCode[] = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_CREDENTIALS_MISSING",
  "ERR_CLOUD_NOT_FOUND",
  "ERR_COMMAND_FAILED",
  "ERR_SECRET_EMPTY",
  "ERR_SECRET_MISSING",
];
const DESTROY_REMEDY = "To destroy resources that need no token: terraform destroy -refresh=false.";

/** An error about a missing secret, with how to destroy without it. */
export function toDestroy(error: IamTokensError, how: string): IamTokensError {
  const { code, parts } = error;
  return WITHOUT_SECRET.includes(code) && !EXPLAINED.some((remedy) => remedy === parts.remedy)
    ? error.with({ remedy: words`${parts.remedy} ${how}` })
    : error;
}

/** Maximum length of a headline: about two lines of a terminal. */
const HEADLINE_LENGTH = 160;

/** The fact, if it is short: CI systems print only headlines. Otherwise the meaning of the code. */
function headlineOf({ code, headline }: IamTokensError): string {
  const [summary] = ERROR_CODES[code];
  return (headline.length <= HEADLINE_LENGTH ? headline : summary).replace(/\.$/, "");
}

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
