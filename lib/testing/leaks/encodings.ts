/** One form of a secret in a file. */
export interface Needle {
  readonly canary: string;
  readonly encoding: string;
  /**
   * The search pattern: bytes, or an expression for latin1 text (one character per byte) if the
   * form has many spellings.
   */
  readonly pattern: string | Buffer | RegExp;
}

/**
 * Every form of a secret to search for.
 *
 * A piece of base64 is found at any of its three alignments, and thus inside a longer string that
 * was encoded as a whole.
 */
export function needlesOf(canary: string, value: string): readonly Needle[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const utf16 = () => Buffer.from(value, "utf16le");
  const forms: readonly (readonly [encoding: string, pattern: Needle["pattern"]])[] = [
    ["plain", value],
    ["url-encoded", urlEncoded(bytes)],
    ["json-escaped", jsonEscaped(value)],
    ["xml-escaped", xmlEscaped(value)],
    ["utf-16le", utf16()],
    ["utf-16be", utf16().swap16()],
    ["hex", hex],
    ["hex", hex.toUpperCase()],
    ...base64Pieces(bytes).flatMap((piece): [string, string | RegExp][] => [
      ["base64", piece],
      ["base64url", piece.replaceAll("+", "-").replaceAll("/", "_")],
      ["base64, folded", folded(piece)],
    ]),
  ];
  return forms.map(([encoding, pattern]) => ({ canary, encoding, pattern }));
}

/**
 * Tools differ in the characters that they encode, in case, and in the encoding of a space: so each
 * byte matches in all its spellings.
 */
function urlEncoded(bytes: Buffer): RegExp {
  const spellings = [...bytes].map((byte) => {
    const literal = latin1(byte);
    const coded = `%${anyCase(byte, 2)}`;
    return byte === 0x20 ? `(?:${literal}|${coded}|\\+)` : `(?:${literal}|${coded})`;
  });
  return new RegExp(spellings.join(""));
}

/**
 * JSON, once or inside other JSON strings (each level doubles the backslashes). JavaScript, Go
 * (which escapes HTML's characters) and Python (which escapes everything except ASCII) differ: so
 * each character matches in all its spellings. So do HCL's `$${` and `%%{`.
 */
function jsonEscaped(value: string): RegExp {
  return new RegExp([...value].map(spellingsInJson).join(""));
}

/** XML and HTML, even twice, and JSON in them: with names, or with numbers. */
function xmlEscaped(value: string): RegExp {
  const ampersand = "&(?:amp;){0,4}";
  return new RegExp(
    [...value]
      .map((character) => {
        const code = character.codePointAt(0) ?? 0;
        const name = NAMED[character];
        const named = name === undefined ? "" : `${name}|`;
        const hex = anyCase(code, 1);
        return `(?:${spellingsInJson(character)}|\\\\{0,16}${ampersand}(?:${named}#0*${code}|#[xX]0*${hex});)`;
      })
      .join(""),
  );
}

const NAMED: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

const SHORT: Readonly<Record<string, string>> = {
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
};

function spellingsInJson(character: string): string {
  // Limited: a long run of backslashes must not take more time than its length.
  const backslashes = "\\\\{1,16}";
  const units = Array.from({ length: character.length }, (_, index) =>
    anyCase(character.charCodeAt(index), 4),
  );
  const coded = units.map((unit) => `${backslashes}u${unit}`).join("");
  const literal = [...Buffer.from(character, "utf8")].map(latin1).join("");
  const short = SHORT[character];
  if (short !== undefined) return `(?:${literal}|${backslashes}${short}|${coded})`;
  if (character === "\\") return `(?:${backslashes}|${coded})`;
  if (character === '"' || character === "/") return `(?:\\\\{0,16}${literal}|${coded})`;
  if (character === "$" || character === "%") return `(?:${literal}{1,2}|${coded})`;
  return `(?:${literal}|${coded})`;
}

/** With line breaks at 64 or 76 characters, in a file or (backslash n) inside a JSON string. */
function folded(base64: string): RegExp {
  const lineBreak = "(?:\\r?\\n|\\\\r\\\\n|\\\\n)";
  return new RegExp(
    [...base64].map((character) => latin1(character.charCodeAt(0))).join(`${lineBreak}?`),
  );
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

function latin1(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** Hex digits in either case. Not with a flag: letters of the secret itself must match exactly. */
function anyCase(code: number, digits: number): string {
  return code
    .toString(16)
    .padStart(digits, "0")
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
