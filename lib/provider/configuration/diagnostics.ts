import type { CtyObject } from "../../plugin/cty/value";
import type { AttributePath, Diagnostic } from "../../plugin/provider";
import { defined, ERROR_CODES, IamTokensError } from "../../tokens";
import { knownText, pathTo } from "./argument";

/**
 * What Terraform shows for an error: code and kind of mistake in the summary, the story in the
 * detail. Of an error that is not ours only the class is named: its text could hold a secret.
 */
export function toDiagnostic(error: unknown, path?: AttributePath): Diagnostic {
  return { severity: "error", ...textOf(error), ...defined({ path }) };
}

/** The same as a warning. */
export function toWarning(summary: string, error: unknown): Diagnostic {
  const { detail } = textOf(error);
  return { severity: "warning", summary, detail };
}

/** Runs a check that throws, and gives what it found. */
export function check(
  path: AttributePath | undefined,
  assertion: () => unknown,
): readonly Diagnostic[] {
  try {
    assertion();
    return [];
  } catch (error) {
    return [toDiagnostic(error, path)];
  }
}

/** Runs a check of a text argument, where that is given and known. */
export function checkText(
  config: CtyObject,
  name: string,
  assertion: (text: string) => unknown,
): readonly Diagnostic[] {
  const text = knownText(config, name);
  return text === undefined ? [] : check(pathTo(name, text), () => assertion(text));
}

function textOf(error: unknown): Pick<Diagnostic, "summary" | "detail"> {
  if (!IamTokensError.is(error)) {
    return {
      summary: "Unexpected failure in the iam provider",
      detail: `The provider met an error that it does not know (${classOf(error)}). Its text is left out: it could hold a secret. Please report what was being done.`,
    };
  }
  const allowed = error.allowed === undefined ? "" : `\nAllowed: ${error.allowed}.`;
  return {
    summary: `${headlineOf(error)} [${error.code}]`,
    detail: `${error.problem}${allowed}\n${error.remedy}`,
  };
}

/** How long a headline may be: about two lines of a terminal. */
const HEADLINE_LENGTH = 160;

/**
 * The fact, where it is a short sentence: CI systems show headlines alone. Else what the code
 * stands for.
 */
function headlineOf({ code, problem, headline }: IamTokensError): string {
  const [first = ""] = problem.split(/(?<=\.)\s+(?=[A-Z"])|\n/, 1);
  const fact = (headline ?? first).replace(/\.$/, "");
  return fact.length >= 8 && fact.length <= HEADLINE_LENGTH && !/[.:]$/.test(fact)
    ? fact
    : ERROR_CODES[code].summary.replace(/\.$/, "");
}

/** The class of an error that is not ours, whose text may hold a secret. */
export function classOf(error: unknown): string {
  const name = (error as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" && /^[A-Za-z]{1,60}$/.test(name) ? name : "Error";
}
