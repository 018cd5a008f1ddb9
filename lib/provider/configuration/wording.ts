import { IamTokensError } from "../../tokens";

/** "a", "a and b", "a, b and c". */
export function list(words: readonly string[], last: "and" | "or" = "and"): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** Runs a check, and lets its error begin with the name of what was checked. */
export function named<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw new IamTokensError(error.code, `${name}: ${error.problem}`, {
      remedy: error.remedy,
      ...(error.allowed === undefined ? {} : { allowed: error.allowed }),
    });
  }
}
