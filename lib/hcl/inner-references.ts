import { type Piece, scanHcl } from "./scan";

/**
 * The steps of a reference: `["local", "secrets", "database"]`, up to the first that is itself an
 * expression.
 */
export type Reference = readonly string[];

/**
 * The references in an expression whose values can become its value, or a part of it. Those that
 * only select do not count: conditions, indices, names of files.
 *
 * @param expression without `${` and `}`
 */
export function innerReferences(expression: string): readonly Reference[] {
  // Neither functions and keywords, nor the rest of a reference.
  return [...inPieces(scanHcl(expression) ?? [])].filter(({ length }) => length > 1);
}

const isSign = (piece: Piece | undefined, sign: string): boolean =>
  piece?.kind === "sign" && piece.text === sign;

const isWord = (piece: Piece | undefined, ...words: readonly string[]): boolean =>
  piece?.kind === "name" && words.includes(piece.text);

function* inPieces(pieces: readonly Piece[]): Generator<Reference> {
  const items: Piece[][] = [[]];
  for (const piece of pieces) {
    if (isSign(piece, ",")) items.push([]);
    else items.at(-1)?.push(piece);
  }
  for (const item of items) yield* inItem(item);
}

function* inItem(item: readonly Piece[]): Generator<Reference> {
  const filter = item.findIndex((piece) => isWord(piece, "if"));
  // In a `for`, the collection precedes the condition.
  const question = isWord(item[0], "for") ? -1 : item.findIndex((piece) => isSign(piece, "?"));
  const values = item.slice(question + 1, filter === -1 ? undefined : filter);
  for (const [at, piece] of values.entries()) {
    const before = values[at - 1];
    if (piece.kind === "name") yield stepsOf(values.slice(at));
    if (piece.kind === "string")
      for (const part of piece.parts) if (typeof part !== "string") yield* inPieces(part);
    if (piece.kind !== "group" || isWord(before, "file", "filebase64")) continue;
    const isIndex = piece.open === "[" && before !== undefined && before.kind !== "sign";
    if (!isIndex || isWord(before, "in")) yield* inPieces(piece.inner);
  }
}

/** The steps of the reference at the beginning, also behind blanks (`var .x`) and in brackets. */
function stepsOf(pieces: readonly Piece[]): Reference {
  const steps: string[] = [];
  for (const [at, piece] of pieces.entries()) {
    const isNext = at === 0 || isSign(pieces[at - 1], ".");
    const [index, more] = piece.kind === "group" && piece.open === "[" ? piece.inner : [];
    if (piece.kind === "name" && piece.text.startsWith(".") !== isNext)
      steps.push(...piece.text.split(".").filter((step) => step !== ""));
    else if (index?.kind === "string" && more === undefined && typeof index.parts[0] === "string")
      steps.push(index.parts[0]);
    else if (!isSign(piece, ".")) break;
  }
  return steps;
}
