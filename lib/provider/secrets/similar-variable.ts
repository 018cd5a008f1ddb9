import { isVariableName } from "../../tokens";
import { distanceOf } from "../../tokens/nearest";

/** Short forms of the last word. */
const PASSWORD = /_(?:PASSWD|PASS|PWD)$/;

/**
 * A variable that is set, and that was probably meant by one that is not: a misspelling of it, or
 * one whose name has all its words and others, or only some of them, with the last word in common
 * (`SERVICE_PASSWORD`, `SERVICE_USER_PASSWORD`).
 */
export function similarVariable(
  name: string,
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const wanted = normal(name);
  return Object.keys(variables)
    .filter((other) => other !== name && isVariableName(other) && variables[other])
    .sort()
    .find((other) => isMisspelt(wanted, normal(other)) || sharesWords(wanted, normal(other)));
}

function normal(name: string): string {
  return name.toUpperCase().replace(PASSWORD, "_PASSWORD");
}

/** With a letter or two wrong, or with other underscores; but `DB1` and `DB2` are two. */
function isMisspelt(one: string, other: string): boolean {
  const [a, b] = [one.replaceAll("_", ""), other.replaceAll("_", "")];
  return (
    a.length > 5 && digitsOf(a) === digitsOf(b) && distanceOf(a, b) <= Math.max(1, a.length / 8)
  );
}

const digitsOf = (name: string): string => name.replaceAll(/\D/g, "");

function sharesWords(one: string, other: string): boolean {
  const [few = [], many = []] = [one.split("_"), other.split("_")].sort(
    (a, b) => a.length - b.length,
  );
  return few.length > 1 && few.at(-1) === many.at(-1) && few.every((word) => many.includes(word));
}
