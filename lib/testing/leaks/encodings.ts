/** A canary as it may be written. */
export interface Needle {
  readonly canary: string;
  readonly encoding: string;
  /** One latin1 character for each byte. */
  readonly pattern: string;
}

/**
 * The forms of a secret that are searched for as they are. A piece of base64 is found at any of its
 * three alignments, and thus inside a longer string that was encoded as a whole.
 */
export function needlesOf(canary: string, value: string): readonly Needle[] {
  const bytes = Buffer.from(value);
  const forms: readonly (readonly [encoding: string, pattern: string])[] = [
    ["plain", bytes.toString("latin1")],
    ["utf-16le", Buffer.from(value, "utf16le").toString("latin1")],
    ["hex", bytes.toString("hex")],
    ...[0, 1, 2].flatMap((shift): [string, string][] => {
      const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
      const end = Math.floor(((shift + bytes.length) * 8) / 6);
      // Only the characters that depend on the secret alone.
      const piece = encoded.slice(Math.ceil((shift * 8) / 6), end);
      return [
        ["base64", piece],
        ["base64url", piece.replaceAll("+", "-").replaceAll("/", "_")],
      ];
    }),
  ];
  return forms.map(([encoding, pattern]) => ({ canary, encoding, pattern }));
}

const ofCode = (code: string, base = 16): string => {
  const point = Number.parseInt(code, base);
  return point <= 0x10ffff ? String.fromCodePoint(point) : "";
};
const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Two units of JSON may be one character. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:u([\da-f]{4})|([\s\S]))/gi, (_, code, other) =>
    code === undefined ? (SHORT[other] ?? other) : ofCode(code),
  );

/** What a reader makes of a text, by the encoding. */
const READERS: Readonly<Record<string, (text: string) => string>> = {
  "json-escaped": unescaped,
  // As `set -x` prints it: a quote ends the string, stands by itself, and begins another. All of it
  // may be in JSON, as in Terraform's own output.
  "shell-quoted": (text) => {
    const quoted = /'(?:\\+'|\\*"('+)\\*")'/g;
    const read = text.replaceAll(quoted, (_, quotes: string | undefined) => quotes ?? "'");
    return read === text ? unescaped(text) : read;
  },
  "url-encoded": (text) =>
    text
      .replaceAll("+", " ")
      .replaceAll(/(?:%[\da-f]{2})+/gi, (all) =>
        Buffer.from(all.replaceAll("%", ""), "hex").toString(),
      ),
  "xml-escaped": (text) =>
    text.replaceAll(/&(?:#(\d{1,9})|#x([\da-f]{1,8})|(amp|lt|gt|quot|apos));/gi, (...match) => {
      const [, decimal, hex, name] = match;
      return NAMED[name] ?? ofCode(decimal ?? hex, decimal === undefined ? 16 : 10);
    }),
};

/** How often a string may be in another one. */
const LEVELS = 4;

/** The needles that are in the bytes, or in what a reader makes of them. */
export function* occurrencesOf(needles: readonly Needle[], bytes: Buffer): Iterable<Needle> {
  const text = bytes.toString("latin1");
  const folded = text.replaceAll(/\r?\n|\\r\\n|\\n/g, "");
  for (const needle of needles)
    if (
      text.includes(needle.pattern) ||
      (/^base64/.test(needle.encoding) && folded.includes(needle.pattern))
    )
      yield needle;
  const plain = needles.filter(({ encoding }) => encoding === "plain");
  for (const [encoding, read] of Object.entries(READERS)) {
    let view = bytes.toString();
    for (let level = 0; level < LEVELS; level++) {
      const before = view;
      view = read(before);
      if (view === before) break;
      const seen = Buffer.from(view).toString("latin1");
      for (const needle of plain) if (seen.includes(needle.pattern)) yield { ...needle, encoding };
    }
  }
}
