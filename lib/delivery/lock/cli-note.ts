import type { CliView, RequiredProvider } from "./cli-view";
import { cliFinds, cliUpgrades, cliViewOf, otherSpelling } from "./cli-view";

/** The beginning of the comment, by which it is found again. */
const OPENING = "/* cdktf-iam-tokens: for the CDKTF command line; Terraform ignores it.";
const NOTE =
  /(?:\r\n|\n)?\/\* cdktf-iam-tokens: for the CDKTF command line;[\s\S]*?\*\/(?:\r\n|\n)?/g;

/**
 * With an empty constraint, the command line compares nothing and succeeds; no version satisfies
 * the other one.
 */
const ANYTHING = "";
const NOTHING = "< 0";

/** Cases that the note cannot cover. */
interface Noted {
  /** Added after the lock file's content; empty if nothing is needed. */
  readonly note: string;
  /**
   * Providers whose constraint was changed, and for which the command line will not run `init
   * -upgrade` by itself.
   */
  readonly upgradeByHand: readonly string[];
}

/** A lock file without our note. */
export function withoutNote(text: string): string {
  return text.replace(NOTE, "");
}

/**
 * A note for the CDKTF command line. Without it, this would run `terraform providers lock`, which
 * asks the registry of every provider and fails for ours, which is in none.
 *
 * The command line skips that step if it finds each required provider in the lock file. It reads
 * line by line and ignores comment signs, so a comment may contain entries that do not exist yet:
 * Terraform itself adds the real ones at its next `init`. If the user changed a constraint, the
 * command line would have run `init -upgrade`, and still does: for this, the note contains the same
 * provider under its short name with the old constraint.
 *
 * @param text the lock file without the note
 */
export function cliNoteFor(
  text: string,
  required: readonly RequiredProvider[],
  eol: string,
): Noted {
  const view = cliViewOf(text);
  const absent = required.filter(
    (provider) => !cliFinds(view, provider) && isPlain(provider.source),
  );
  if (absent.length === 0) return { note: "", upgradeByHand: [] };
  const entries = absent.map(({ source }) => entry(source, ANYTHING));
  let upgradeByHand: string[] = [];
  if (cliUpgrades(view, required)) {
    const changed = absent.filter(({ source }) => view.constraints.get(source) !== undefined);
    const vehicles = upgradeEntries(view, changed, required);
    entries.push(...vehicles);
    if (
      vehicles.length === 0 &&
      !cliUpgrades(cliViewOf(text + noteOf(entries, view, eol)), required)
    ) {
      upgradeByHand = changed.map(({ source }) => source);
    }
  }
  return { note: noteOf(entries, view, eol), upgradeByHand };
}

/**
 * One entry is enough for `init -upgrade`, which checks all providers; the note lists those that
 * changed.
 */
function upgradeEntries(
  view: CliView,
  changed: readonly RequiredProvider[],
  required: readonly RequiredProvider[],
): string[] {
  const own = changed.flatMap(({ source }) => {
    const short = otherSpelling(source);
    const locked = view.constraints.get(source);
    return short !== undefined && locked !== undefined && /^[\w.<>=!~, +-]+$/.test(locked)
      ? [entry(short, locked)]
      : [];
  });
  if (own.length > 0) return own;
  const other = required
    .map(({ source }) => otherSpelling(source))
    .find((short) => short !== undefined && isPlain(short));
  return other === undefined ? [] : [entry(other, NOTHING)];
}

const entry = (source: string, constraints: string): string =>
  `provider "${source}" {\n  constraints = "${constraints}"\n}`;

function noteOf(entries: readonly string[], view: CliView, eol: string): string {
  // A brace first, if the command line still assumes to be inside of a provider block.
  const lines = ["", OPENING, ...(view.open ? ["}"] : []), ...entries, "*/", ""];
  return lines.flatMap((line) => line.split("\n")).join(eol);
}

/** An address that cannot end the comment or its line. */
function isPlain(source: string): boolean {
  return /^[^\s"*\\\p{C}]+$/u.test(source);
}
