/** How much of a received value a message repeats. */
const QUOTED_LENGTH = 80;
/** The same for the path of a file. */
const PATH_LENGTH = 1_024;

/**
 * A string for a terminal or a log, in which nothing acts: each character that a terminal
 * interprets becomes a `?`, and commands of CI systems get an escape.
 *
 * @param breaks whether its line breaks stay
 */
export function printable(text: string, breaks?: "lines"): string {
  return inert(text.replace(breaks === "lines" ? UNPRINTABLE : /[\p{C}\u2028\u2029]/gu, "?"));
}

/**
 * A received value for a message: in quotes, with an escape for all that {@link printable} replaces.
 * Only the beginning of a long one is left.
 *
 * @param what the path of a file is left whole
 */
export function quote(text: string, what?: "path"): string {
  // Not the end: a secret in it would then have a form that `masked` does not know.
  return printableJson(shortened(text, what === "path" ? PATH_LENGTH : QUOTED_LENGTH));
}

/** The beginning of a string, and a … for the rest. */
export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Beginning and end of a string, and a … for the middle. */
export function abridged(text: string, length: number): string {
  const half = length / 2;
  return text.length > length ? `${text.slice(0, half)}…${text.slice(-half)}` : text;
}

/** What a terminal interprets, but for the breaks of lines. */
const UNPRINTABLE = /(?!\n)[\p{C}\u2028\u2029]/gu;

/**
 * A value as JSON, which means the same, with an escape for all that {@link printable} replaces.
 *
 * @param indent blanks for each level; without it, one line
 */
export function printableJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  // The line feeds are between the values.
  return inert(text.replace(UNPRINTABLE, escapeOf));
}

/**
 * What CI systems obey in the output of a program: GitHub's `::name`, `##[name]` of GitHub and
 * Azure, `##vso[…]`, TeamCity's `##teamcity[…]`, `section_start:` of GitLab, `travis_fold:`, and
 * the headings of Buildkite.
 */
const COMMANDS = /:(?=:[a-z])|#(?=#[a-z[])|_(?=(?:start|end|fold|time):)|(?<=([-+~^]))\1(?=\1)/gi;

/**
 * A string in which no CI system finds a command, however its lines are wrapped: one character of
 * each becomes an escape, such as `\u003a`. In JSON, the string still means the same.
 */
function inert(text: string): string {
  return text.replace(COMMANDS, escapeOf);
}

/** In JSON, a character beyond the first 65,536 is two escapes. */
function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
