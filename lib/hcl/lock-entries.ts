/** A `provider` block of a lock file, with its position. */
export interface LockEntry {
  /** As it is written: the full source address. */
  readonly source: string;
  readonly text: string;
  readonly start: number;
  /** After the closing brace. */
  readonly end: number;
}

/**
 * Finds the `provider` blocks of a lock file, in the form in which Terraform writes them.
 *
 * @returns undefined for a file in another form (conflict markers, a missing brace): this package
 * does not repair it, and Terraform describes the error best
 */
export function lockEntriesIn(text: string): LockEntry[] | undefined {
  const entries: LockEntry[] = [];
  let open: { readonly source: string; readonly start: number } | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
    const source = /^provider "([^"]+)" \{\r?$/.exec(line)?.[1];
    if (open === undefined ? source === undefined && !/^\s*(?:#|$)/.test(line) : source) return;
    if (source !== undefined) open = { source, start: at };
    if (open !== undefined && line.startsWith("}")) {
      const end = at + 1;
      entries.push({ ...open, end, text: text.slice(open.start, end) });
      open = undefined;
    }
    at += line.length + 1;
  }
  return open === undefined ? entries : undefined;
}
