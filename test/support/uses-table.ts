import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "./project";

/** What becomes of a use of a token that is resolved in one way. */
export interface UseCell {
  readonly way: string;
  readonly use: string;
  /** `works`, `Terraform refuses`, or the code of an error at synthesis. */
  readonly outcome: string;
}

/** A table of docs/using-tokens.md, row by row, without its head; named by its first words. */
export function tableOf(first: string): readonly (readonly string[])[] {
  const text = readFileSync(join(packageRoot, "docs/using-tokens.md"), "utf8");
  const [table = ""] = new RegExp(`^\\| ${first} \\|.*\\n(?:\\|.*\\n)+`, "m").exec(text) ?? [];
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

/** The table of uses, cell by cell. */
export function usesTable(): readonly UseCell[] {
  const [[, ...ways] = [], ...rows] = tableOf("where the token is used");
  return rows.flatMap(([use = "", ...cells]) =>
    ways.map((way, index) => ({
      way,
      use: use.replace(/ \(.*\)$/, ""),
      outcome: (cells[index] ?? "").replace(/^`(ERR_\w+)`$/, "$1").replace(/, .*/, ""),
    })),
  );
}
