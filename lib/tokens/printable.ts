/** A text without what a terminal or a CI system obeys: each such character becomes a `?`. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, "?");
}
