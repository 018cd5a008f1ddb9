/** A value that is no secret, for a message: in quotes, cut, without anything that a terminal or a CI system obeys. */
export function shown(value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : `a value of type ${typeof value}`;
  return JSON.stringify(value.slice(0, 80)).replace(
    /[\p{C}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
