import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import type { AttributePath, Diagnostic } from "../../plugin/provider";
import { IamTokensError, setting, type Text, words } from "../../tokens";
import { knownText } from "./argument";
import { NOWHERE, pathTo } from "./argument-path";
import { toDiagnostic } from "./diagnostics";

type BlockCheck = (config: CtyObject) => readonly Diagnostic[];

/**
 * The check of a block, behind the limits for all of its strings and collections: far above real
 * values, and low enough for every parser. Its mistakes have a limit as well.
 */
export function checkOfBlock(check: BlockCheck): BlockCheck {
  return (config) => {
    const [long] = Object.entries(config).flatMap(([name, value]) => tooLong(name, value));
    if (long === undefined) return check(config).slice(0, MOST_MISTAKES);
    // No path: for one, Terraform would print the argument's line or its whole value.
    return [toDiagnostic(long, NOWHERE)];
  };
}

/** Mistakes that a block reports at once. */
const MOST_MISTAKES = 10;
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
  // A write-only value is only compared: whoever may write to the store could stop every plan.
  const long = stringsIn(value).find(({ length }) => length > STRING_LIMIT);
  if (long === undefined || name.endsWith("_wo")) return [];
  const longFact = words`A string of ${setting(name)} has ${long.length} characters.`;
  return refusal(longFact, `${STRING_LIMIT} characters`);
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

/** Runs a check of a string argument, with its name for messages, if that is set and known. */
export function checkText(
  config: CtyObject,
  name: string,
  assertion: (text: string, name: Text) => unknown,
): readonly Diagnostic[] {
  const text = knownText(config, name);
  return text === undefined ? [] : check(pathTo(name, text), () => assertion(text, setting(name)));
}
