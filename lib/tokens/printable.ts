/** A text without what a terminal or a CI system obeys: each such character becomes a `?`. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, "?");
}

/** In quotes, with everything escaped that a terminal or a CI system could take for a command. */
export function escaped(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{C}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

/** As {@link escaped}, cut. */
export function quote(text: string): string {
  return escaped(text.slice(0, 80));
}
