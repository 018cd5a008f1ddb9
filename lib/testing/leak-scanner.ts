import { defined, IamTokensError } from "../tokens";
import { type Needle, needlesOf, occurrencesOf } from "./leaks/encodings";
import { type NotScanned, type Piece, piecesOfFolder, unpack } from "./leaks/pieces";

/** Canaries, and the places to search. @see docs/testing.md */
export interface LeakScan {
  /**
   * The secrets, by names for findings. Each must have at least 8 bytes: shorter ones occur by
   * chance.
   */
  readonly canaries: Readonly<Record<string, string>>;
  /** Folders (with everything in them) and files. Default: none. */
  readonly folders?: readonly string[];
  /** Strings such as a command's output, by names for findings. Default: none. */
  readonly texts?: Readonly<Record<string, string | Uint8Array>>;
}

/** A secret that was found. Does not contain the secret. */
export interface LeakFinding {
  /** The name of the canary. */
  readonly canary: string;
  /** The file or string; in packed files, with the path inside. */
  readonly where: string;
  /**
   * The form of the secret there: `plain`, `base64`, `url-encoded`, `json-escaped`, `hex`,
   * `shell-quoted`, `xml-escaped`, …
   */
  readonly encoding: string;
}

/** The outcome of a scan. @see docs/testing.md */
export interface LeakReport {
  readonly findings: readonly LeakFinding[];
  /**
   * Parts that could not be searched, and why: xz, zstd, an encrypted zip, … A test that
   * needs proof must assert that this list is empty.
   */
  readonly notScanned: readonly NotScanned[];
  /**
   * How many pieces (files, strings, members of packed files) were searched: zero would prove
   * nothing.
   */
  readonly pieces: number;
}

/**
 * Searches files and strings for secrets, in every form that common tools write.
 *
 * In addition to plain text: base64 and base64url (at any alignment, with line breaks),
 * URL-encoded, JSON-escaped (once or twice), XML-escaped, hex, UTF-16; all of these in zip, as in a
 * saved Terraform plan, and in gzip as well. Links are not followed; a file with several names is
 * read once.
 *
 * @see docs/testing.md
 * @throws ERR_TESTING_CONFIG_INVALID without a canary, if one is too short, or if a property is
 * unknown
 * @example
 * const { findings, notScanned } = scanForLeaks({ canaries: { password }, folders: ["cdktf.out"],
 * texts: { stdout } }); expect([...findings, ...notScanned]).toEqual([]);
 */
export function scanForLeaks(scan: LeakScan): LeakReport {
  assertScan(scan);
  const canaries = Object.entries(scan.canaries);
  const needles = canaries.flatMap(([name, value]) => needlesOf(name, value));
  const findings: LeakFinding[] = [];
  const notScanned: NotScanned[] = [];
  let pieces = 0;
  // A path may contain a secret as well.
  const hidden = <T extends { readonly where: string }>(at: T): T => {
    const [canary] = search({ where: "", bytes: Buffer.from(at.where) }, needles);
    return canary ? { ...at, where: `(hidden: contains the canary ${canary.canary})` } : at;
  };
  for (const source of sourcesOf(scan))
    for (const found of unpack(source)) {
      if ("reason" in found) notScanned.push(hidden(found));
      else {
        pieces += 1;
        findings.push(...search(found, needles).map(hidden));
      }
    }
  return { findings, notScanned, pieces };
}

function* sourcesOf({ texts = {}, folders = [] }: LeakScan) {
  // Both cases, as a type of Buffer.from has only one of them.
  for (const [where, text] of Object.entries(texts))
    yield { where, bytes: typeof text === "string" ? Buffer.from(text) : Buffer.from(text) };
  const seen = new Set<string>();
  for (const folder of folders) yield* piecesOfFolder(folder, seen);
}

const PROPERTIES: readonly string[] = [
  "canaries",
  "folders",
  "texts",
] satisfies readonly (keyof LeakScan)[];

/** JavaScript would ignore a misspelt place, and a scan of nothing finds nothing. */
function assertScan(scan: Partial<LeakScan>): void {
  const canaries = Object.entries(scan.canaries ?? {});
  const unknown = Object.keys(scan).find((name) => !PROPERTIES.includes(name));
  const weak = canaries.find(
    ([, value]) => typeof value !== "string" || Buffer.byteLength(value) < 8,
  );
  const problem =
    unknown !== undefined
      ? `There is no property ${JSON.stringify(unknown)}.`
      : canaries.length === 0
        ? "No canary is given."
        : weak && `The canary ${JSON.stringify(weak[0])} is not a string of at least 8 bytes.`;
  if (problem === undefined) return;
  const allowed = unknown === undefined ? undefined : PROPERTIES.join(", ");
  throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", problem, defined({ allowed }));
}

/** One finding for each canary and piece: a log that repeats a secret is one leak. */
function search({ bytes, where }: Piece, needles: readonly Needle[]): readonly LeakFinding[] {
  const found = new Map<string, LeakFinding>();
  for (const { canary, encoding } of occurrencesOf(needles, bytes))
    if (!found.has(canary)) found.set(canary, { canary, where, encoding });
  return [...found.values()];
}
