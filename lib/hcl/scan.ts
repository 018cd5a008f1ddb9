/** A piece of HCL with its position. Blanks and comments are not pieces. */
export type Piece = { readonly start: number; readonly end: number } & (
  | { readonly kind: "newline" | "heredoc" }
  /** `var.x`, `core::lookup`, `if`, a label; after a bracket also `.result`. */
  | { readonly kind: "name" | "number" | "sign"; readonly text: string }
  /** The characters between its quotes; the parts are plain strings and templates. */
  | { readonly kind: "string"; readonly text: string; readonly parts: readonly Part[] }
  | { readonly kind: "group"; readonly open: string; readonly inner: readonly Piece[] }
);

/** A part of a string: characters, with each escape as one, or the pieces in `${…}` or `%{…}`. */
export type Part = string | readonly Piece[];

/** Nesting of brackets and templates: far above people's needs, far below a stack overflow. */
const MAX_DEPTH = 100;

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const BLANK = /(?:[^\S\n]|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const NAME = nameOf("A-Za-z", "0-9", "y");
/** Made when a text needs it: V8 compiles all letters of Unicode for a millisecond. */
let unicodeName: RegExp | undefined;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEREDOC = /<<-?[\w-]+[ \t]*\r?\n/y;
const SIGN = /[=!<>]=|=>|&&|\|\||[^"()[\]{}]/uy;

/** In a string. */
const CHARACTERS = /[^"\\$%\n]+|\$\$\{|%%\{|[$%](?!\{)/uy;
const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)/uy;
const TEMPLATE = /[$%]\{~?/y;

/**
 * Splits HCL as Terraform does, with comments, strings, templates in them and here documents, and
 * matches brackets. Nothing is computed.
 *
 * @returns undefined for a string that is not HCL: Terraform describes the error best
 */
export function scanHcl(text: string): readonly Piece[] | undefined {
  return new Scanner(text).pieces("", 0);
}

function nameOf(letter: string, digit: string, flags: string): RegExp {
  const word = `[${letter}_][${letter}${digit}_-]*`;
  const step = String.raw`\.(?:${word}|\*|\d+)`;
  return new RegExp(`${word}(?:::${word})*(?:${step})*|(?:${step})+`, flags);
}

class Scanner {
  private at = 0;
  private readonly name: RegExp;

  constructor(private readonly text: string) {
    if (/^[ -~\s]*$/.test(text)) this.name = NAME;
    else this.name = unicodeName ??= nameOf(String.raw`\p{L}`, String.raw`\p{N}`, "uy");
  }

  /** @param until the bracket that ends them, or "" for the end of the input */
  pieces(until: string, depth: number): Piece[] | undefined {
    if (depth > MAX_DEPTH) return undefined;
    const pieces: Piece[] = [];
    for (;;) {
      this.take(BLANK);
      const next = this.text.charAt(this.at);
      if (next === until) {
        this.at++;
        return pieces;
      }
      const piece = this.piece(next, depth);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
  }

  private piece(next: string, depth: number): Piece | undefined {
    const start = this.at;
    const closing = CLOSING[next];
    if (next === "\n" || next === '"' || closing !== undefined) this.at++;
    if (next === "\n") return { kind: "newline", start, end: this.at };
    if (next === '"') return this.string(depth);
    if (closing !== undefined) {
      const inner = this.pieces(closing, depth + 1);
      return inner && { kind: "group", open: next, inner, start, end: this.at };
    }
    const name = this.take(this.name);
    if (name !== undefined) return { kind: "name", text: name, start, end: this.at };
    const number = this.take(NUMBER);
    if (number !== undefined) return { kind: "number", text: number, start, end: this.at };
    const heredoc = this.take(HEREDOC);
    if (heredoc !== undefined)
      return this.heredocEnds(heredoc) ? { kind: "heredoc", start, end: this.at } : undefined;
    // A complete comment would have been skipped as a blank.
    const sign = this.text.startsWith("/*", start) ? undefined : this.take(SIGN);
    return sign === undefined ? undefined : { kind: "sign", text: sign, start, end: this.at };
  }

  /** The rest of a string, after its opening quote. */
  private string(depth: number): Piece | undefined {
    const start = this.at;
    const parts: Part[] = [];
    let characters = "";
    for (;;) {
      const read = this.take(CHARACTERS) ?? this.take(ESCAPE)?.slice(-1);
      if (read !== undefined) {
        characters += read;
        continue;
      }
      if (characters !== "") parts.push(characters);
      characters = "";
      if (this.take(TEMPLATE) !== undefined) {
        const inner = this.pieces("}", depth + 1);
        if (inner === undefined) return undefined;
        parts.push(inner);
      } else if (this.text.charAt(this.at) === '"') {
        const text = this.text.slice(start, this.at++);
        return { kind: "string", text, parts, start: start - 1, end: this.at };
      } else {
        return undefined;
      }
    }
  }

  /** Moves to the end of a here document's last line, if there is one. */
  private heredocEnds(opening: string): boolean {
    const name = opening.trim().slice(opening.startsWith("<<-") ? 3 : 2);
    const last = new RegExp(`^[ \\t]*${name}[ \\t]*\\r?$`, "gm");
    last.lastIndex = this.at;
    const ends = last.test(this.text);
    this.at = last.lastIndex;
    return ends;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return undefined;
    const start = this.at;
    this.at = pattern.lastIndex;
    return this.text.slice(start, this.at);
  }
}
