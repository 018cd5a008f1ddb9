/** A canary as it may be written. */
export interface Needle {
  readonly canary: string;
  readonly encoding: string;
  /** One latin1 character for each byte. */
  readonly pattern: string;
}

/** A canary that was found. */
export interface Occurrence {
  readonly canary: string;
  readonly encoding: string;
  /** In bytes. */
  readonly offset: number;
}

/** Bytes as they are, or as their reader decodes them. */
interface View {
  /** What was decoded. Undefined for the bytes as they are. */
  readonly encoding?: string;
  /** The encodings of needles that can be in it. */
  readonly needles: RegExp;
  /** One latin1 character for each byte. */
  readonly text: string;
  /** The place in the bytes of a place in the text. */
  readonly at: (index: number) => number;
}

/**
 * The forms of a secret that are searched for as they are. A piece of base64 is found at any of its
 * three alignments, and thus inside a longer string that was encoded as a whole.
 */
export function needlesOf(canary: string, value: string): readonly Needle[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const utf16 = Buffer.from(value, "utf16le");
  const forms: readonly (readonly [encoding: string, pattern: string])[] = [
    ["plain", bytes.toString("latin1")],
    ["utf-16le", utf16.toString("latin1")],
    ["utf-16be", utf16.swap16().toString("latin1")],
    ["hex", hex],
    ["hex", hex.toUpperCase()],
    ...base64Pieces(bytes).flatMap((piece): [string, string][] => [
      ["base64", piece],
      ["base64url", piece.replaceAll("+", "-").replaceAll("/", "_")],
    ]),
  ];
  return forms.map(([encoding, pattern]) => ({ canary, encoding, pattern }));
}

/**
 * The characters of the encoding that depend only on the secret, for each of the three alignments.
 */
function base64Pieces(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
}

/** A replacement of a decoder: a pattern, and the text for a match. */
type Step = readonly [pattern: RegExp, decode: (...match: (string | undefined)[]) => string];

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const ofCode = (code: string | undefined): number => Number(`0x${code}`);

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
/** A string in JSON or HCL, with HCL's `$${` and `%%{`. Two units may be one character. */
const IN_JSON: Step = [
  /(?:\\u([dD][89abAB][\da-fA-F]{2}))?\\u([\da-fA-F]{4})|\\([\s\S])|([$%])\4(?=\{)/g,
  (_, high, unit, other = "", sign) => {
    if (unit === undefined) return sign ?? SHORT[other] ?? other;
    const units = high === undefined ? [unit] : [high, unit];
    return utf8(String.fromCharCode(...units.map(ofCode)));
  },
];
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};
/** XML and HTML. */
const IN_XML: Step = [
  /&(?:#(\d{1,9})|#[xX]([\da-fA-F]{1,8})|(amp|lt|gt|quot|apos));/g,
  (all = "", decimal, hex, name = "") => {
    const code = decimal === undefined ? ofCode(hex) : Number(decimal);
    return NAMED[name] ?? (code <= 0x10ffff ? utf8(String.fromCodePoint(code)) : all);
  },
];
const IN_URL: Step = [/%([\da-fA-F]{2})/g, (_, code) => String.fromCharCode(ofCode(code))];
const SPACES_IN_QUERY: Step = [/\+/g, () => " "];
/** Line breaks in a file, or in a string of JSON. */
const FOLDED: Step = [/\r?\n|\\r\\n|\\n/g, () => ""];

/** How often a string may be in another one. */
const LEVELS = 4;

/** The first occurrence of each needle, in the bytes and in all that a reader makes of them. */
export function* occurrencesOf(needles: readonly Needle[], bytes: Buffer): Iterable<Occurrence> {
  for (const view of viewsOf(bytes))
    for (const { canary, encoding, pattern } of needles) {
      const index = view.needles.test(encoding) ? view.text.indexOf(pattern) : -1;
      if (index >= 0) yield { canary, encoding: view.encoding ?? encoding, offset: view.at(index) };
    }
}

/** The bytes, and all that a reader makes of them. */
function* viewsOf(bytes: Buffer): Iterable<View> {
  const text = bytes.toString("latin1");
  const whole: View = { needles: /./, text, at: (index) => index };
  const decoded: View = { ...whole, needles: /^plain$/ };
  yield whole;
  yield* read({ ...whole, needles: /^base64/ }, "base64, folded", [FOLDED]);
  yield* read(decoded, "url-encoded", Array(LEVELS).fill(IN_URL));
  yield* read(decoded, "url-encoded", [SPACES_IN_QUERY, ...Array(LEVELS).fill(IN_URL)]);
  yield* read(decoded, "json-escaped", Array(LEVELS).fill(IN_JSON));
  for (const view of read(decoded, "xml-escaped", Array(LEVELS).fill(IN_XML))) {
    yield view;
    yield* read(view, "xml-escaped", Array(LEVELS).fill(IN_JSON));
  }
}

/** The view after each step, as long as something changes. */
function* read(from: View, encoding: string, steps: readonly Step[]): Iterable<View> {
  let view = from;
  for (const step of steps) {
    const before = view;
    const text = before.text.replaceAll(...step);
    if (text === before.text) return;
    const at = (index: number) => before.at(placeBefore(before.text, step, index));
    view = { ...before, encoding, text, at };
    yield view;
  }
}

/** Where the text before a step has what the text after it has at a place. */
function placeBefore(text: string, [pattern, decode]: Step, index: number): number {
  let [from, to] = [0, 0];
  for (const match of text.matchAll(pattern)) {
    const start = to + match.index - from;
    if (start >= index) break;
    from = match.index + match[0].length;
    to = start + decode(...match).length;
  }
  return from + index - to;
}
