/** How much of a received value a message repeats. */
const QUOTED_LENGTH = 80;
/** The same for a path of a file. */
const ESCAPED_LENGTH = 1_024;

/**
 * A string without characters that a terminal interprets (each becomes a `?`), and without
 * commands: see {@link inert}.
 */
export function printable(text: string): string {
  return inert(text.replaceAll(/[\p{C}\u2028\u2029]/gu, "?"));
}

/**
 * In quotes, with an escape for every character that a terminal could interpret, and for commands:
 * see {@link inert}. Only the beginning of a very long string is left.
 */
export function escaped(text: string): string {
  // Not the end: a secret in it would then have a form that `masked` does not know.
  return printableJson(shortened(text, ESCAPED_LENGTH));
}

/** Like {@link escaped}, shortened to its beginning. */
export function quote(text: string): string {
  return printableJson(shortened(text, QUOTED_LENGTH));
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

/** Lines of text, without other characters that a terminal interprets. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, "?");
}

/**
 * A value as JSON, which means the same, with an escape for every character that a terminal could
 * interpret, and for commands: see {@link inert}.
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
export function inert(text: string): string {
  return text.replace(COMMANDS, escapeOf);
}

/** In JSON, a character beyond the first 65,536 is two escapes. */
function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
