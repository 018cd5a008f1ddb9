/**
 * How Python writes a JSON value (`repr`). Keystone's messages quote requests this way.
 *
 * @param entriesOf the members of an object in their order; by default as they came
 */
export function toPython(
  value: unknown,
  entriesOf: (value: object) => [string, unknown][] = Object.entries,
): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) return `[${value.map((item) => toPython(item, entriesOf)).join(", ")}]`;
  const members = entriesOf(value).map(
    ([key, member]) => `${quoted(key)}: ${toPython(member, entriesOf)}`,
  );
  return `{${members.join(", ")}}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Python sorts by code points, not by UTF-16 units. */
export function sortedEntries(value: object): [string, unknown][] {
  const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return Object.entries(value).sort(([left], [right]) => {
    const [one, other] = [points(left), points(right)];
    const at = one.findIndex((point, index) => point !== other[index]);
    return at < 0 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1);
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = Array.from(text, (character) => {
    if (character === quote) return `\\${character}`;
    const known = ESCAPES[character];
    if (known !== undefined) return known;
    return character === " " || !/[\p{C}\p{Z}]/u.test(character)
      ? character
      : escaped(character.codePointAt(0) ?? 0);
  });
  return quote + inner.join("") + quote;
}

function escaped(point: number): string {
  if (point < 0x100) return `\\x${point.toString(16).padStart(2, "0")}`;
  return point < 0x1_0000
    ? `\\u${point.toString(16).padStart(4, "0")}`
    : `\\U${point.toString(16).padStart(8, "0")}`;
}

/**
 * JavaScript knows no difference between 1 and 1.0, and keeps 16 digits: the rest is Python's. Up
 * to 1e21 it writes whole numbers out.
 */
function numberText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(BigInt(value));
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) {
    const size = Math.abs(value);
    return size < 1e16 && size >= 1e-4 ? digits : exponentForm(value);
  }
  return `${digits}e${exponent[0] === "-" ? "-" : "+"}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

function exponentForm(value: number): string {
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  return `${digits}e${exponent[0] ?? "+"}${exponent.slice(1).padStart(2, "0")}`;
}
