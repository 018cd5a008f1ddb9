import { scanHcl } from "./scan";

/** A `provider` block of a lock file, by its place in the text. */
export interface LockEntry {
  /** As it is written: the full source address. */
  readonly source: string;
  readonly start: number;
  /** Behind the closing brace. */
  readonly end: number;
}

/**
 * Finds the `provider` blocks of a lock file.
 *
 * @returns undefined when the text is not of the form that Terraform writes (conflict markers, an
 *   open brace): such a file is not ours to repair, and Terraform says best what is wrong with it
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
