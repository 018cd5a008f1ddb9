const rows: (readonly string[])[] = [];

/** Keeps one measurement for the table. */
export function note(...cells: readonly (string | number)[]): void {
  rows.push(cells.map(String));
}

/** Where a run of jest that writes its results to standard output does not mix with them. */
export function printFigures(): void {
  const head = [
    "what",
    "credentials",
    "requests",
    "tokens",
    "connections",
    "at once",
    "time",
    "memory",
  ];
  const widths = head.map((cell, index) =>
    Math.max(cell.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
  process.stderr.write(`\n${[head, ...rows].map(line).join("\n")}\n\n`);
}
