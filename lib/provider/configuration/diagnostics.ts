import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import { faultName } from "../../plugin/faults";
import type { AttributePath, Diagnostic } from "../../plugin/provider";
import {
  abridged,
  defined,
  ERROR_CODES,
  type ErrorCode,
  IamTokensError,
  inert,
} from "../../tokens";
import { SENTENCE_BREAK } from "../../tokens/error";
import { masked } from "../secrets/known-secrets";
import { knownText, NOWHERE, pathTo } from "./argument";

/**
 * The diagnostic of an error: code and kind of mistake in the summary, the rest in the detail. For a
 * foreign error, it contains only the class: the message could contain a secret.
 */
export function toDiagnostic(error: unknown, path?: AttributePath): Diagnostic {
  return bounded({ severity: "error", ...textOf(error), ...defined({ path }) });
}

/** The same, as a warning. */
export function toWarning(summary: string, error: unknown): Diagnostic {
  return warning(summary, textOf(error).detail);
}

/** A warning without a place. */
export function warning(summary: string, detail: string): Diagnostic {
  return bounded({ severity: "warning", summary, detail });
}

type BlockCheck = (config: CtyObject) => readonly Diagnostic[];

/**
 * The check of a block, behind the limits for all of its strings and collections: far above real
 * values, and low enough for every parser. Its mistakes have a limit as well.
 */
export function checkOfBlock(check: BlockCheck): BlockCheck {
  return (config) => {
    const [long] = Object.entries(config).flatMap(([name, value]) => tooLong(name, value));
    if (long === undefined) return fewOf(check(config));
    // No path: for one, Terraform would print the argument's line or its whole value.
    return [toDiagnostic(long, NOWHERE)];
  };
}

/** In UTF-16 code units. */
const STRING_LIMIT = 8_192;
const ELEMENT_LIMIT = 256;

function tooLong(name: string, value: CtyValue): readonly IamTokensError[] {
  const refusal = (problem: string, allowed: string) => [
    new IamTokensError("ERR_TOO_LONG", problem, { allowed: `at most ${allowed}` }),
  ];
  const elements = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  if (elements > ELEMENT_LIMIT)
    return refusal(`${name} has ${elements} elements.`, `${ELEMENT_LIMIT} elements`);
  const long = stringsIn(value).find(({ length }) => length > STRING_LIMIT);
  if (long === undefined) return [];
  return refusal(
    `A string of ${name} has ${long.length} characters.`,
    `${STRING_LIMIT} characters`,
  );
}

/** Messages for one block, and all of their characters: about two screens. */
const MISTAKES_LIMIT = { messages: 10, characters: 10_000 };

/** The first mistakes of a block, and how many there are more. */
function fewOf(mistakes: readonly Diagnostic[]): readonly Diagnostic[] {
  let characters = 0;
  const { messages } = MISTAKES_LIMIT;
  const few = mistakes.slice(0, messages).filter(({ summary, detail }) => {
    characters += summary.length + detail.length;
    return characters <= MISTAKES_LIMIT.characters;
  });
  const more = mistakes.length - few.length;
  return more === 0 ? mistakes : [...few, { ...moreMistakes(more), path: NOWHERE }];
}

function moreMistakes(count: number): Diagnostic {
  const summary = `This block has ${count} more mistake${count === 1 ? "" : "s"}`;
  return { severity: "error", summary, detail: "Correct the mistakes above, and run again." };
}

/** Also elements, keys and values of collections. */
function stringsIn(value: CtyValue): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? Object.entries(value).flat().flatMap(stringsIn)
    : [];
}

/** Runs a check that throws, and returns its finding. */
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

/** Runs a check of a string argument, if that is set and known. */
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
      summary: "Internal error in the iam provider",
      detail: `The provider failed with an unexpected error (${faultName(error)}). Its message is not printed because it could hold a secret. Please report what you were doing.`,
    };
  }
  const allowed = error.allowed === undefined ? "" : `\nAllowed: ${error.allowed}.`;
  return {
    summary: `${headlineOf(error)} [${error.code}]`,
    detail: `${error.problem}${allowed}\n${remedyOf(error)}`,
  };
}

/** Maximum length of a message's detail: more than the longest list of causes. */
const DETAIL_LENGTH = 3_000;

/**
 * A diagnostic for Terraform's users: without secrets that this process has read, not endless, and
 * without commands that CI systems obey.
 */
function bounded(diagnostic: Diagnostic): Diagnostic {
  const { summary, detail } = diagnostic;
  return {
    ...diagnostic,
    summary: inert(abridged(masked(summary), HEADLINE_LENGTH * 2)),
    detail: inert(abridged(masked(detail), DETAIL_LENGTH)),
  };
}

/** A reader who runs Terraform may have no password any more, and nothing left that needs a token. */
const WITHOUT_SECRET: readonly ErrorCode[] = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_CREDENTIALS_MISSING",
  "ERR_SECRET_MISSING",
  "ERR_SECRET_EMPTY",
];
export const DESTROY_REMEDY =
  "To destroy resources that need no token: terraform destroy -refresh=false.";

/** The remedy, for a reader who runs Terraform. */
function remedyOf({ code, remedy }: IamTokensError): string {
  return WITHOUT_SECRET.includes(code) && remedy === ERROR_CODES[code].remedy
    ? `${remedy} ${DESTROY_REMEDY}`
    : remedy;
}

/** Maximum length of a headline: about two lines of a terminal. */
const HEADLINE_LENGTH = 160;

/**
 * The fact, if it is a short sentence: CI systems print only headlines. Otherwise the meaning of
 * the code.
 */
function headlineOf({ code, problem, headline }: IamTokensError): string {
  const [first = ""] = problem.split(SENTENCE_BREAK, 1);
  const fact = (headline ?? first).replace(/\.$/, "");
  return fact.length <= HEADLINE_LENGTH && /.{7}[^.:]$/.test(fact)
    ? fact
    : ERROR_CODES[code].summary.replace(/\.$/, "");
}

/** What a problem names when a variable, a file or a command is its cause. */
const OF_THE_PROCESS =
  /\b(?:environment|variables?|files?|clouds\.yaml|commands?|program)\b|\b[A-Z]{2,}_[A-Z]/;

/**
 * An error for whoever reads it. Under `iam-tokens run`, the variables, files and commands that it
 * names are not those of the Terraform that prints it.
 */
export function inRun<E>(error: E, attached: boolean): E | IamTokensError {
  if (!attached || !IamTokensError.is(error)) return error;
  const { problem } = error;
  // A value in quotes is not ours.
  if (!OF_THE_PROCESS.test(problem.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""))) return error;
  const note =
    "Variables and the working folder are those of iam-tokens run when it started, not those of this Terraform.";
  return error.with({ problem: `${problem} ${note}` });
}
