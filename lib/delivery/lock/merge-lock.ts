import type { LockEntry } from "../../hcl/lock-entries";
import { lockEntriesIn } from "../../hcl/lock-entries";
import { cliNoteFor, withoutNote } from "./cli-note";
import type { RequiredProvider } from "./cli-view";

/** Our own entry. */
export interface OwnEntry {
  readonly source: string;
  readonly version: string;
  readonly h1: string;
}

/** A lock file with our entry in it. */
export interface MergedLock {
  readonly text: string;
  /** Sources for which the user has to run `terraform init -upgrade`. */
  readonly upgradeByHand: readonly string[];
}

const HEADER =
  '# This file is maintained automatically by "terraform init".\n# Manual edits may be lost in future updates.\n\n';

/**
 * Puts our entry into a lock file, or brings it up to date, and keeps everything else byte for
 * byte.
 *
 * @param text what is there, or undefined when there is no lock file
 * @returns undefined when the file is not of the form that Terraform writes: it stays as it is
 */
export function mergeLock(
  text: string | undefined,
  own: OwnEntry,
  required: readonly RequiredProvider[],
): MergedLock | undefined {
  const base = withoutNote(text ?? HEADER);
  const entries = text === undefined ? [] : lockEntriesIn(base);
  if (entries === undefined) return undefined;
  const eol = base.includes("\r\n") ? "\r\n" : "\n";
  const withOwn = putEntry(base, entries, own, eol);
  const { note, upgradeByHand } = cliNoteFor(withOwn, required, eol);
  return { text: withOwn + note, upgradeByHand };
}

function putEntry(text: string, entries: readonly LockEntry[], own: OwnEntry, eol: string): string {
  const block = entryText(own, eol);
  const [mine, ...duplicates] = entries.filter(({ source }) => source === own.source);
  if (mine !== undefined) {
    let result = text;
    // From the end, so that the places before stay right.
    for (const { start, end } of duplicates.reverse())
      result = result.slice(0, start) + result.slice(end);
    const written = result.slice(mine.start, mine.end);
    return isUpToDate(written, own)
      ? result
      : result.slice(0, mine.start) + block + result.slice(mine.end);
  }
  // Where Terraform would write it: sorted by source.
  const before = entries.filter(({ source }) => source < own.source).pop();
  const after = entries.find(({ source }) => source > own.source);
  if (before !== undefined)
    return `${text.slice(0, before.end)}${eol}${eol}${block}${text.slice(before.end)}`;
  if (after !== undefined)
    return `${text.slice(0, after.start)}${block}${eol}${eol}${text.slice(after.start)}`;
  const separator = text === "" || /\n$/.test(text) ? "" : eol;
  return `${text}${separator}${block}${eol}`;
}

function entryText({ source, version, h1 }: OwnEntry, eol: string): string {
  return [
    `provider "${source}" {`,
    `  version     = "${version}"`,
    `  constraints = "${version}"`,
    "  hashes = [",
    `    "${h1}",`,
    "  ]",
    "}",
  ].join(eol);
}

/** Terraform may have written the entry anew: what counts is what it says. */
function isUpToDate(written: string, { version, h1 }: OwnEntry): boolean {
  const values = [...written.matchAll(/^[ \t]*(version|constraints)[ \t]*=[ \t]*"([^"]*)"/gm)].map(
    (match) => `${match[1]} ${match[2]}`,
  );
  return (
    values.length === 2 &&
    values.includes(`version ${version}`) &&
    values.includes(`constraints ${version}`) &&
    written.includes(`"${h1}"`)
  );
}
