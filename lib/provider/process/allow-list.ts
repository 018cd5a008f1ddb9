import type { ProcessContext } from "./process-context";

/**
 * The entries of a list that only the environment can give: no module can extend it. Undefined if
 * it is not set, which allows everything.
 *
 * @param separator by default a comma
 */
export function allowList(
  variable: string,
  { variables }: ProcessContext,
  separator: string | RegExp = ",",
): readonly string[] | undefined {
  return variables[variable]
    ?.split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Why a list allows something not: "IAM_TOKENS_… does not list it (entries: 2)." */
export function notListed(
  variable: string,
  count: number,
  what: "address" | "place" | "program",
): string {
  const why =
    count === 0
      ? `is set but empty: no ${what} is allowed`
      : `does not list it (entries: ${count})`;
  return `${variable} ${why}.`;
}
