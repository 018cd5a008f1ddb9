import { IamTokensError } from "../tokens";
import { type NotScanned, type Piece, unpack } from "./leaks/containers";
import { type Needle, needlesOf } from "./leaks/encodings";
import { piecesOfFolder, piecesOfProcess, type SeenFiles } from "./leaks/pieces";

/** What is searched for, and where. */
export interface LeakScan {
  /**
   * The secrets, by a name that a finding may show. Each has at least 8 bytes, so that it is not
   * found by chance.
   */
  readonly canaries: Readonly<Record<string, string>>;
  /** Folders (with all that is in them) and files. Default: none. */
  readonly folders?: readonly string[];
  /** Texts such as a command's output, by a name that a finding shows. Default: none. */
  readonly texts?: Readonly<Record<string, string | Uint8Array>>;
  /** Processes whose environment and arguments are searched; on Linux. Default: none. */
  readonly processIds?: readonly number[];
}

/** A secret that was found. The finding does not show it. */
export interface LeakFinding {
  /** The name of the canary. */
  readonly canary: string;
  /** The file, text or process, with the way into packed files. */
  readonly where: string;
  /** Of the first occurrence, in bytes, within what `where` names. */
  readonly offset: number;
  /**
   * The form that it stands there in: `plain`, `base64`, `url-encoded`, `json-escaped`, `hex`,
   * `utf-16le`, …
   */
  readonly encoding: string;
}

/** The outcome of a scan. */
export interface LeakReport {
  readonly findings: readonly LeakFinding[];
  /**
   * What could not be searched, and why. A test that wants proof asserts that this is empty too.
   */
  readonly notScanned: readonly NotScanned[];
  /**
   * How many pieces (files, texts, members of packed files) were searched: none would prove
   * nothing.
   */
  readonly pieces: number;
}

/**
 * Searches files, texts and processes for secrets, in every form that usual tools write them in.
 *
 * Besides plain text: base64 and base64url (at any alignment, folded), URL-encoded, JSON-escaped
 * (also twice), hex, UTF-16; inside gzip and zip, as a saved Terraform plan is one. Links are not
 * followed; a file with several names is read once.
 *
 * @throws ERR_TESTING_CONFIG_INVALID when there is no canary, or one is too short
 * @example
 * const { findings } = scanForLeaks({ canaries: { password }, folders: ["cdktf.out"], texts: {
 * stdout } }); expect(findings).toEqual([]);
 */
export function scanForLeaks(scan: LeakScan): LeakReport {
  const needles = toNeedles(scan.canaries);
  const findings: LeakFinding[] = [];
  const notScanned: NotScanned[] = [];
  let pieces = 0;
  // A path, too, may hold what must not be shown.
  const hide = (text: string) => hideCanaries(text, scan.canaries);
  const skip = ({ where, reason }: NotScanned) => notScanned.push({ where: hide(where), reason });
  for (const source of sourcesOf(scan, skip)) {
    for (const piece of unpack(source, skip)) {
      pieces += 1;
      findings.push(
        ...search(piece, needles).map((finding) => ({ ...finding, where: hide(finding.where) })),
      );
    }
  }
  return { findings, notScanned, pieces };
}

function* sourcesOf(scan: LeakScan, skip: (what: NotScanned) => void): Iterable<Piece> {
  for (const [name, text] of Object.entries(scan.texts ?? {})) {
    yield {
      where: name,
      bytes: typeof text === "string" ? Buffer.from(text, "utf8") : Buffer.from(text),
    };
  }
  const seen: SeenFiles = new Set();
  for (const folder of scan.folders ?? []) yield* piecesOfFolder(folder, seen, skip);
  for (const pid of scan.processIds ?? []) yield* piecesOfProcess(pid, skip);
}

function toNeedles(canaries: LeakScan["canaries"]): readonly Needle[] {
  const entries = Object.entries(canaries);
  if (entries.length === 0) {
    throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", "There is no canary to search for.");
  }
  for (const [name, value] of entries) {
    if (typeof value === "string" && Buffer.byteLength(value) >= 8) continue;
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `The canary ${JSON.stringify(name)} is not a text of at least 8 bytes.`,
    );
  }
  return entries.flatMap(([name, value]) => needlesOf(name, value));
}

/** One finding a canary, form and piece: a log that repeats a secret is one leak. */
function search({ bytes, where }: Piece, needles: readonly Needle[]): readonly LeakFinding[] {
  const found = new Map<string, LeakFinding>();
  // Expressions work on text; latin1 keeps one character a byte.
  const text = bytes.toString("latin1");
  for (const { canary, encoding, pattern } of needles) {
    const offset = pattern instanceof RegExp ? text.search(pattern) : bytes.indexOf(pattern);
    // A form that leaves the secret as it is (nothing to escape, nothing folded) was found before,
    // at the same place.
    const key = `${offset} ${canary}`;
    if (offset >= 0 && !found.has(key)) found.set(key, { canary, where, offset, encoding });
  }
  return [...found.values()];
}

function hideCanaries(text: string, canaries: LeakScan["canaries"]): string {
  return Object.entries(canaries).reduce((shown, [name, value]) => {
    const hidden = shown.replaceAll(value, `(canary ${name})`);
    // In a form that cannot be cut out: then nothing of it is shown.
    const left = search({ where: "", bytes: Buffer.from(hidden) }, needlesOf(name, value));
    return left.length === 0 ? hidden : `(hidden: it holds the canary ${name})`;
  }, text);
}
