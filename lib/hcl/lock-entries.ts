import { scanHcl } from "./scan";

/** A `provider` block of a lock file, with its position. */
export interface LockEntry {
  /** As it is written: the full source address. */
  readonly source: string;
  readonly start: number;
  /** After the closing brace. */
  readonly end: number;
}

/**
 * Finds the `provider` blocks of a lock file.
 *
 * @returns undefined if the file does not have Terraform's form (conflict markers, a missing
 * brace): this package does not repair it, and Terraform describes the error best
 */
export function lockEntriesIn(text: string): LockEntry[] | undefined {
  const pieces = scanHcl(text);
  if (pieces === undefined) return undefined;
  const entries: LockEntry[] = [];
  for (let at = 0; at < pieces.length; ) {
    const [name, source, block] = pieces.slice(at, at + 3);
    if (name?.kind === "newline") {
      at++;
      continue;
    }
    if (name?.kind !== "name" || name.text !== "provider" || source?.kind !== "string")
      return undefined;
    if (block?.kind !== "group" || block.open !== "{") return undefined;
    entries.push({ source: source.text, start: name.start, end: block.end });
    at += 3;
  }
  return entries;
}
