import { IamTokensError, type Text, type Words, words } from "../tokens";

/** "a", "a and b", "a, b and c". */
export function list(texts: readonly Text[], last: "and" | "or" = "and"): Words {
  const separators = texts.map((_, index) => (index === texts.length - 1 ? ` ${last} ` : ", "));
  return words(["", ...separators.slice(1)], ...texts);
}

/** "a is", "a and b are". */
export function are(texts: readonly Text[]): Words {
  return words`${list(texts)} ${texts.length > 1 ? "are" : "is"}`;
}

/** Runs a check; its error begins with the name of the checked value. */
export function named<T>(name: Text, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw error.with({ fact: words`${name}: ${error.parts.fact}` });
  }
}
