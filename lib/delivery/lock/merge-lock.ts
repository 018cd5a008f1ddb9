import { lockEntriesIn } from "../../hcl/lock-entries";
import { noteFor, type RequiredProvider, withoutNote } from "./command-line-note";

/** Our own entry. */
export interface OwnEntry {
  readonly source: string;
  readonly version: string;
  /** Hashes of the platforms' folders: one of these is the machine's. */
  readonly hashes: readonly string[];
}

const HEADER =
  '# This file is maintained automatically by "terraform init".\n# Manual edits may be lost in future updates.\n\n';

/**
 * Adds our entry to a lock file, or updates it. Everything else stays byte for byte, except for the
 * entries of changed providers: without one, `terraform init` chooses a version anew.
 *
 * @param text the existing content, or undefined without a lock file
 * @param isChanged whether the required version of a source is another than before
 * @returns undefined if the file does not have Terraform's form: it stays as it is
 */
export function mergeLock(
  text: string | undefined,
  own: OwnEntry,
  required: readonly RequiredProvider[],
  isChanged: (source: string) => boolean,
): string | undefined {
  let merged = withoutNote(text ?? HEADER);
  const eol = merged.includes("\r\n") ? "\r\n" : "\n";
  const block = entryText(own, eol);
  const entries = lockEntriesIn(merged);
  if (entries === undefined) return undefined;
  // Terraform may have added hashes to ours.
  const mine = entries.find((entry) => block.split(eol).every((line) => entry.text.includes(line)));
  // From the end, so that earlier positions stay valid.
  for (const { source, start, end } of [...entries].reverse())
    if (source === own.source ? start !== mine?.start : isChanged(source))
      merged = merged.slice(0, start) + merged.slice(end).trimStart();
  if (mine === undefined) merged = inserted(merged, own.source, block, eol);
  return merged + noteFor(required, lockEntriesIn(merged) ?? [], eol);
}

/** In Terraform's place: sorted by source. */
function inserted(text: string, source: string, block: string, eol: string): string {
  const after = lockEntriesIn(text)?.find((entry) => entry.source > source);
  if (after !== undefined)
    return `${text.slice(0, after.start)}${block}${eol}${eol}${text.slice(after.start)}`;
  const isOpen = /[^\n]$/.test(text);
  const isBlank = text === "" || /\n\r?\n$/.test(text);
  return `${text}${isOpen ? eol : ""}${isBlank ? "" : eol}${block}${eol}`;
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
