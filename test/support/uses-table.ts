import { readPage } from "./pages";

/** A table of docs/using-tokens.md, row by row, without its head; named by its first words. */
export function tableOf(first: string): readonly (readonly string[])[] {
  const pattern = new RegExp(`^\\| ${first} \\|.*\\n(?:\\|.*\\n)+`, "m");
  const [table = ""] = pattern.exec(readPage("docs/using-tokens.md")) ?? [];
  return table
    .trimEnd()
    .split("\n")
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}

/**
 * The table of uses, cell by cell: what becomes of a use of a token that is resolved in one way.
 * The outcome is `works`, `Terraform refuses`, or the code of an error at synthesis.
 */
export function usesTable() {
  const [[, ...ways] = [], ...rows] = tableOf("where the token is used");
  return rows.flatMap(([use = "", ...cells]) =>
    ways.map((way, index) => ({
      way,
      use: use.replace(/ \(.*\)$/, ""),
      outcome: (cells[index] ?? "").replace(/^`(ERR_\w+)`$/, "$1").replace(/, .*/, ""),
    })),
  );
}
