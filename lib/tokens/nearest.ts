/** The known name nearest to a misspelt one, if there is a near one. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A longer name is not a misspelling of ours, and comparing it takes long.
  if (name.length > 60) return undefined;
  const [best] = known
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.one;
}

/** How many letters must be inserted, removed or replaced (Levenshtein). */
export function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...to].entries()) {
      const change = (row[at] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
