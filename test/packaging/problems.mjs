// How a check says what is wrong.

/** Throws when there is something in the list. */
export function report(problems) {
  if (problems.length > 0) throw new Error(problems.join("\n"));
}
