/** A string without characters that a terminal or a CI system interprets: each becomes a `?`. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, "?");
}

/** In quotes, with an escape for every character that a terminal or a CI system could interpret. */
export function escaped(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{C}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** Like {@link escaped}, shortened. */
export function quote(text: string): string {
  return escaped(text.slice(0, 80));
}
