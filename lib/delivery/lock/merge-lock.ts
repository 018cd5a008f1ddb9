import type { LockEntry } from "../../hcl/lock-entries";
import { lockEntriesIn } from "../../hcl/lock-entries";
import { cliNoteFor, withoutNote } from "./cli-note";
import type { RequiredProvider } from "./cli-view";

/** Our own entry. */
export interface OwnEntry {
  readonly source: string;
  readonly version: string;
  /** Hashes of the platforms' folders: one of these is the machine's. */
  readonly hashes: readonly string[];
}

/** A lock file with our entry in it. */
export interface MergedLock {
  readonly text: string;
  /** Sources for which the user must run `terraform init -upgrade`. */
  readonly upgradeByHand: readonly string[];
}

const HEADER =
  '# This file is maintained automatically by "terraform init".\n# Manual edits may be lost in future updates.\n\n';

/**
 * Adds our entry to a lock file, or updates it, and keeps everything else byte for byte.
 *
 * @param text the existing content, or undefined without a lock file
 * @returns undefined if the file does not have Terraform's form: it stays as it is
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
    // From the end, so that earlier positions stay valid.
    for (const { start, end } of duplicates.reverse())
      result = result.slice(0, start) + result.slice(end);
    const written = result.slice(mine.start, mine.end);
    return isUpToDate(written, own)
      ? result
      : result.slice(0, mine.start) + block + result.slice(mine.end);
  }
  // Terraform's place for it: sorted by source.
  const before = entries.filter(({ source }) => source < own.source).pop();
  const after = entries.find(({ source }) => source > own.source);
  if (before !== undefined)
    return `${text.slice(0, before.end)}${eol}${eol}${block}${text.slice(before.end)}`;
  if (after !== undefined)
    return `${text.slice(0, after.start)}${block}${eol}${eol}${text.slice(after.start)}`;
  const separator = text === "" || /\n$/.test(text) ? "" : eol;
  return `${text}${separator}${block}${eol}`;
}

function entryText({ source, version, hashes }: OwnEntry, eol: string): string {
  return [
    `provider "${source}" {`,
    `  version     = "${version}"`,
    `  constraints = "${version}"`,
    "  hashes = [",
    // In Terraform's order.
    ...[...hashes].sort().map((hash) => `    "${hash}",`),
    "  ]",
    "}",
  ].join(eol);
}

/** Terraform may have rewritten the entry: its meaning counts. */
function isUpToDate(written: string, { version, hashes }: OwnEntry): boolean {
  const values = [...written.matchAll(/^[ \t]*(version|constraints)[ \t]*=[ \t]*"([^"]*)"/gm)].map(
    (match) => `${match[1]} ${match[2]}`,
  );
  return (
    values.length === 2 &&
    values.includes(`version ${version}`) &&
    values.includes(`constraints ${version}`) &&
    hashes.every((hash) => written.includes(`"${hash}"`))
  );
}
