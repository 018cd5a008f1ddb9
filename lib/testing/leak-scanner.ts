import { defined, IamTokensError } from "../tokens";
import { unpack } from "./leaks/containers";
import { type Needle, needlesOf, occurrencesOf } from "./leaks/encodings";
import { piecesOfFolder, type SeenFiles } from "./leaks/folder";
import type { Found, NotScanned, Piece } from "./leaks/piece";

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
  /** Position of the first occurrence in `where`, in bytes. */
  readonly offset: number;
  /**
   * The form of the secret there: `plain`, `base64`, `url-encoded`, `json-escaped`, `hex`,
   * `xml-escaped`, …
   */
  readonly encoding: string;
}

/** The outcome of a scan. @see docs/testing.md */
export interface LeakReport {
  readonly findings: readonly LeakFinding[];
  /**
   * Parts that could not be searched, and why: tar, xz, brotli, an encrypted zip, … A test that
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
 * saved Terraform plan, and in gzip (also in base64) as well. Links are not followed; a file with
 * several names is read once.
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
  const hidden = <T extends { readonly where: string }>(at: T): T => ({
    ...at,
    where: hideCanaries(at.where, canaries, needles),
  });
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

function* sourcesOf({ texts = {}, folders = [] }: LeakScan): Iterable<Found> {
  // Both cases, as a type of Buffer.from has only one of them.
  for (const [where, text] of Object.entries(texts))
    yield { where, bytes: typeof text === "string" ? Buffer.from(text) : Buffer.from(text) };
  const seen: SeenFiles = new Set();
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

/** One finding for each canary, form and piece: a log that repeats a secret is one leak. */
function search({ bytes, where }: Piece, needles: readonly Needle[]): readonly LeakFinding[] {
  const found = new Map<string, LeakFinding>();
  for (const { canary, encoding, offset } of occurrencesOf(needles, bytes)) {
    // A reader that changes nothing of the secret finds it at the same place once more.
    const key = `${offset} ${canary}`;
    if (!found.has(key)) found.set(key, { canary, where, offset, encoding });
  }
  return [...found.values()];
}

function hideCanaries(
  text: string,
  canaries: readonly (readonly [name: string, value: string])[],
  needles: readonly Needle[],
): string {
  const hidden = canaries.reduce(
    (all, [name, value]) => all.replaceAll(value, `(canary ${name})`),
    text,
  );
  // If a secret cannot be cut out of its form, nothing is printed.
  const [left] = search({ where: "", bytes: Buffer.from(hidden) }, needles);
  return left === undefined ? hidden : `(hidden: contains the canary ${left.canary})`;
}
