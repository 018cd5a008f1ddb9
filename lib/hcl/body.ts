import { type Piece, scanHcl } from "./scan";

/**
 * A value: a string (with its templates unchanged), a list of strings, a table, or an expression to
 * be computed.
 */
export type HclValue = string | readonly string[] | HclBody | Expression;

/** An expression as it is written. */
interface Expression {
  readonly expression: string;
}

export interface HclBody {
  readonly attributes: ReadonlyMap<string, HclValue>;
  readonly blocks: readonly HclBlock[];
}

interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly body: HclBody;
}

/**
 * Reads the blocks and the literal attributes of HCL, in Terraform's configurations and in those of
 * its command line (which use an older HCL).
 *
 * @returns undefined for a string that is not HCL
 */
export function parseHcl(text: string): HclBody | undefined {
  const pieces = scanHcl(text);
  return pieces && bodyOf(pieces, text);
}

function bodyOf(pieces: readonly Piece[], text: string): HclBody | undefined {
  const attributes = new Map<string, HclValue>();
  const blocks: HclBlock[] = [];
  for (const line of linesOf(pieces)) {
    for (let at = 0; at < line.length; ) {
      const words: string[] = [];
      for (let word = wordOf(line[at]); word !== undefined; word = wordOf(line[++at]))
        words.push(word);
      const [first, ...labels] = words;
      const next = line[at++];
      if (first === undefined || next === undefined) return undefined;
      if (next.kind === "group" && next.open === "{") {
        const body = bodyOf(next.inner, text);
        if (body === undefined) return undefined;
        blocks.push({ type: first, labels, body });
      } else {
        const isValue = labels.length === 0 && (isSign(next, "=") || isSign(next, ":"));
        if (!isValue || at === line.length) return undefined;
        attributes.set(first, toValue(line.slice(at), text));
        at = line.length;
      }
    }
  }
  return { attributes, blocks };
}

/** Tokens between new lines and commas: a table may have both. */
function linesOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    if (separates(piece)) lines.push([]);
    else lines.at(-1)?.push(piece);
  }
  return lines;
}

function toValue(pieces: readonly Piece[], text: string): HclValue {
  const [only, ...more] = pieces;
  if (more.length === 0 && only?.kind === "string") return unescaped(only.text);
  const literal =
    more.length === 0 && only?.kind === "group"
      ? only.open === "{"
        ? bodyOf(only.inner, text)
        : textsIn(only)
      : undefined;
  return literal ?? { expression: pieces.map(({ start, end }) => text.slice(start, end)).join("") };
}

function textsIn({ open, inner }: { readonly open: string; readonly inner: readonly Piece[] }) {
  const items = inner.filter((piece) => !separates(piece));
  const texts = items.flatMap((piece) => (piece.kind === "string" ? unescaped(piece.text) : []));
  return open === "[" && texts.length === items.length ? texts : undefined;
}

/** Pattern of a name or label. */
function wordOf(piece: Piece | undefined): string | undefined {
  if (piece?.kind === "string") return unescaped(piece.text);
  return piece?.kind === "name" || piece?.kind === "number" ? piece.text : undefined;
}

function separates(piece: Piece): boolean {
  return piece.kind === "newline" || isSign(piece, ",");
}

function isSign(piece: Piece, sign: string): boolean {
  return piece.kind === "sign" && piece.text === sign;
}

/** The escapes of HCL are a subset of JSON's. */
function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
