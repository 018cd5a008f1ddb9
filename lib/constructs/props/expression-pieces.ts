/** A piece of an expression in Terraform's language, as far as it matters where its texts stand. */
export type Piece =
  | { readonly kind: "text"; readonly parts: readonly (string | readonly Piece[])[] }
  | { readonly kind: "number"; readonly digits: string }
  /** A reference or a word: `var.x`, `coalesce`, `if`; what follows a bracket, too: `.result`. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "sign"; readonly sign: string }
  | { readonly kind: "group"; readonly open: string; readonly inner: readonly Piece[] };

/** An expression taken apart. What is not well-formed ends early: Terraform refuses it. */
export function piecesOf(expression: string): readonly Piece[] {
  return new Reader(expression).read();
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const STEP = String.raw`\.(?:${NAME}|\*|\d+)`;
const PIECE = new RegExp(
  String.raw`[^\S\n]+|(?<name>${NAME}(?:::${NAME})*(?:${STEP})*|${STEP})|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<sign>[=!<>]=|=>|&&|\|\||[^"])|(?<quote>")`,
  "uy",
);

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** @param until the bracket that ends it */
  read(until?: string): Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      PIECE.lastIndex = this.at;
      const { groups } = PIECE.exec(this.text) ?? {};
      if (groups === undefined) return pieces;
      this.at = PIECE.lastIndex;
      const { name, number, sign, quote } = groups;
      if (name !== undefined) pieces.push({ kind: "name", name });
      else if (number !== undefined) pieces.push({ kind: "number", digits: number });
      else if (quote !== undefined) pieces.push({ kind: "text", parts: this.readText() });
      else if (sign !== undefined) {
        if (sign === until) return pieces;
        const closing = CLOSING[sign];
        pieces.push(
          closing === undefined
            ? { kind: "sign", sign }
            : { kind: "group", open: sign, inner: this.read(closing) },
        );
      }
    }
  }

  /** The rest of a text, behind its opening quote. */
  private readText(): (string | Piece[])[] {
    const parts: (string | Piece[])[] = [];
    let characters = "";
    for (;;) {
      TEXT.lastIndex = this.at;
      const [character, template] = TEXT.exec(this.text) ?? [];
      if (character !== undefined) this.at = TEXT.lastIndex;
      if (character !== undefined && character !== '"' && template === undefined) {
        // An escape is one character.
        characters += character.startsWith("\\") ? character.slice(-1) : character;
        continue;
      }
      if (characters !== "") parts.push(characters);
      if (template === undefined) return parts;
      characters = "";
      parts.push(this.read("}"));
    }
  }
}

/** A quote that ends the text, an escape, the beginning of a template, a character. */
const TEXT = /"|\\u[0-9a-fA-F]{4}|\\.|\$\$\{|%%\{|([$%]\{~?)|[\s\S]/uy;
