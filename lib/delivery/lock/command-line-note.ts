import type { LockEntry } from "../../hcl/lock-entries";

/** A provider that a stack requires. */
export interface RequiredProvider {
  /** Full address: host, namespace, type. */
  readonly source: string;
  readonly version: string | undefined;
}

/** The full address of a source: a short one leaves out host and namespace. */
export function fullSource(source: string): string {
  const missing = 3 - source.split("/").length;
  return [...["registry.terraform.io", "hashicorp"].slice(0, missing), source].join("/");
}

/** The beginning of the comment, by which it is found again. */
const OPENING = "/* cdktf-iam-tokens: for the CDKTF command line; Terraform ignores it.";
const NOTE = /\r?\n\/\* cdktf-iam-tokens: for the CDKTF command line;[\s\S]*?\*\/(?:\r?\n)?/g;

/** A lock file without our note. */
export function withoutNote(text: string): string {
  return text.replace(NOTE, "");
}

/**
 * A note for the CDKTF command line; empty if it needs none. Without it, this would run `terraform
 * providers lock`, which asks the registry of every provider and fails for ours, which is in none.
 *
 * The command line skips that step if it finds each required provider in the lock file. It reads
 * line by line and ignores comment signs, so a comment may contain entries: Terraform itself adds
 * the real ones at its next `init`. With an empty constraint, the command line compares nothing.
 *
 * @param entries those of the lock file
 */
export function noteFor(
  required: readonly RequiredProvider[],
  entries: readonly LockEntry[],
  eol: string,
): string {
  const noted = required.filter(
    (provider) => !entries.some((entry) => satisfiesCommandLine(entry, provider)),
  );
  // An address must not end the comment or its line.
  const sources = noted.map(({ source }) => source).filter((source) => /^[\w./-]+$/.test(source));
  if (sources.length === 0) return "";
  const texts = sources.flatMap((source) => [`provider "${source}" {`, '  constraints = ""', "}"]);
  return ["", OPENING, ...texts, "*/", ""].join(eol);
}

/**
 * The command line takes the first number of a required constraint for a version, which must
 * satisfy the locked constraint. It does if both are the same, and only one version from which on,
 * or up to the next, all are allowed. Terraform writes other constraints in another form, and
 * joins them with those of modules.
 */
function satisfiesCommandLine({ source, text }: LockEntry, required: RequiredProvider): boolean {
  const version = String(required.version);
  return (
    source === required.source &&
    /^(?:~> |>= )?\d[\w.-]*$/.test(version) &&
    text.includes(` constraints = "${version}"`)
  );
}
