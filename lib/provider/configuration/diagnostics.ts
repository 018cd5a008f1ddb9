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
  setting,
  type Text,
  words,
} from "../../tokens";
import { masked } from "../secrets/known-secrets";
import { knownText, NOWHERE, pathTo } from "./argument";

/**
 * The diagnostic of an error: code and kind of mistake in the summary, the rest in the detail. For a
 * foreign error, it contains only the class: the message could contain a secret.
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
  const refusal = (fact: Text, allowed: string) => [
    new IamTokensError("ERR_TOO_LONG", fact, { allowed: `at most ${allowed}` }),
  ];
  const elements = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  if (elements > ELEMENT_LIMIT)
    return refusal(words`${setting(name)} has ${elements} elements.`, `${ELEMENT_LIMIT} elements`);
  const long = stringsIn(value).find(({ length }) => length > STRING_LIMIT);
  if (long === undefined) return [];
  return refusal(
    words`A string of ${setting(name)} has ${long.length} characters.`,
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
 * A text for users: without secrets that this process has read, not endless, and without commands
 * that CI systems obey.
 */
function printed(text: string, length: number): string {
  return inert(abridged(masked(text), length));
}

/** A reader who runs Terraform may have no password any more, and nothing left that needs a token. */
const WITHOUT_SECRET: readonly ErrorCode[] = [
  "ERR_CREDENTIALS_REJECTED",
  "ERR_CREDENTIALS_MISSING",
  "ERR_SECRET_MISSING",
  "ERR_SECRET_EMPTY",
];
const DESTROY_REMEDY = "To destroy resources that need no token: terraform destroy -refresh=false.";

/** An error about a missing secret, with how to destroy without it. */
export function toDestroy(error: IamTokensError, how: string): IamTokensError {
  const { code, parts } = error;
  const [, remedy] = ERROR_CODES[code];
  return WITHOUT_SECRET.includes(code) && parts.remedy === remedy
    ? error.with({ remedy: words`${parts.remedy} ${how}` })
    : error;
}

/** Maximum length of a headline: about two lines of a terminal. */
const HEADLINE_LENGTH = 160;
/** No sentence is shorter. */
const SENTENCE_LENGTH = 8;

/**
 * The fact, if it is a short sentence: CI systems print only headlines. Otherwise the meaning of
 * the code.
 */
function headlineOf({ code, headline }: IamTokensError): string {
  const [summary] = ERROR_CODES[code];
  const { length } = headline;
  const isShort = length > SENTENCE_LENGTH && length <= HEADLINE_LENGTH;
  return (isShort ? headline : summary).replace(/\.$/, "");
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
