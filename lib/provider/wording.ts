import { IamTokensError } from "../tokens";

/** "a", "a and b", "a, b and c". */
export function list(words: readonly string[], last: "and" | "or" = "and"): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** "a is", "a and b are". */
export function are(words: readonly string[]): string {
  return `${list(words)} ${words.length > 1 ? "are" : "is"}`;
}

/** Runs a check; its error begins with the name of the checked value. */
export function named<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw error.with({ problem: `${name}: ${error.problem}` });
  }
}
