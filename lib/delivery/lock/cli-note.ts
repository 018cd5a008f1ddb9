import type { CliView, RequiredProvider } from "./cli-view";
import { cliFinds, cliUpgrades, cliViewOf, otherSpelling } from "./cli-view";

/** How the comment begins, by which it is found again. */
const OPENING = "/* cdktf-iam-tokens: for the CDKTF command line; Terraform ignores it.";
const NOTE =
  /(?:\r\n|\n)?\/\* cdktf-iam-tokens: for the CDKTF command line;[\s\S]*?\*\/(?:\r\n|\n)?/g;

/**
 * With an empty constraint the command line compares nothing and is content; the other one nothing
 * satisfies.
 */
const ANYTHING = "";
const NOTHING = "< 0";

/** What the note cannot bring about. */
interface Noted {
  /** To be put behind the lock file's text; empty when nothing is needed. */
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
 * The note that keeps the CDKTF command line from running `terraform providers lock`, which asks
 * the registry of every provider and must fail for ours, which is in none.
 *
 * The command line skips that step when it finds each required provider in the lock file. It reads
 * line by line and knows no comments, so a comment may hold what is not there yet: Terraform itself
 * adds the real entries at its next `init`. Where the user changed a constraint, the command line
 * would have run `init -upgrade`, and still does: for that the note holds the same provider under
 * its short name with the old constraint.
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
 * One entry is enough for `init -upgrade`, which looks at all providers; the changed ones are the
 * honest choice.
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
  // A brace first, when the command line believes to be inside of a provider still.
  const lines = ["", OPENING, ...(view.open ? ["}"] : []), ...entries, "*/", ""];
  return lines.flatMap((line) => line.split("\n")).join(eol);
}

/** An address that cannot end the comment or its line. */
function isPlain(source: string): boolean {
  return /^[^\s"*\\\p{C}]+$/u.test(source);
}
