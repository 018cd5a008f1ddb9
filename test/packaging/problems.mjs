// How a check says what is wrong.

export class Problems extends Error {}

/** Throws when there is something in the list. */
export function report(problems) {
  if (problems.length > 0) throw new Problems(problems.join("\n"));
}
