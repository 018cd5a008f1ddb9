import { scanForLeaks } from "../../lib/testing";
import { expectThat } from "./steps";

/** One row: a secret, what used it, and whether it may stand in the state. */
export interface SecretRow {
  readonly name: string;
  readonly usedBy: string;
  readonly values: readonly string[];
  readonly inState?: true;
}

/** Places where a secret could have been written, each with a pattern of its paths. */
const PLACES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["cdk.tf.json", /cdk\.tf\.json$/],
  ["state", /\.tfstate(\.backup)?$/],
  ["output", /^printed$/],
  ["files", /^/],
];

/**
 * Searches the files and the output of a run for each secret, and returns the table for the end. A
 * secret in any other place than the allowed ones ends the demo.
 */
export function searchForSecrets(
  folders: readonly string[],
  printed: string,
  secrets: readonly SecretRow[],
): readonly string[] {
  const rows = secrets.map(({ name, usedBy, values, inState }) => {
    expectThat(values.length > 0, `there is a value to search for: ${name}`);
    const canaries = Object.fromEntries(values.map((value, index) => [`value ${index}`, value]));
    const { findings, notScanned } = scanForLeaks({
      canaries,
      folders,
      texts: { printed },
    });
    const unread = notScanned.map(({ where, reason }) => `${where}: ${reason}`);
    expectThat(unread.length === 0, `all was searched (${unread})`);
    const found = findings.map(({ where }) =>
      PLACES.findIndex(([, pattern]) => pattern.test(where)),
    );
    const cells = PLACES.map((_, place) => (found.includes(place) ? "YES" : "no"));
    const expected = PLACES.map(([place]) => (place === "state" && inState ? "YES" : "no"));
    expectThat(cells.join() === expected.join(), `${name} is written nowhere else: ${cells}`);
    return [name, usedBy, ...cells];
  });
  return table(["secret", "used by", ...PLACES.map(([place]) => place)], rows);
}

/** Columns as wide as necessary, with a line below the heads. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = heads.map((_, column) =>
    Math.max(...[heads, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(heads), widths.map((width) => "─".repeat(width)).join("──"), ...rows.map(line)];
}
