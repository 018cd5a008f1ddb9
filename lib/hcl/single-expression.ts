import { type Piece, scanHcl } from "./scan";

/**
 * Whether a text is exactly one Terraform expression, `${…}` from its first to its last character,
 * that is more than a literal in disguise: it refers to something. `Bearer ${x}`, `${a}${b}`,
 * `${"text"}` and `${sensitive("text")}` are not: their parts, or all of them, stand in the text
 * itself.
 */
export function isSingleExpression(text: string): boolean {
  if (!text.startsWith("${")) return false;
  // Behind the dollar sign stands one group in braces.
  const [only] = scanHcl(text.slice(1)) ?? [];
  if (only?.kind !== "group" || only.end !== text.length - 1) return false;
  const pieces = [...everyPieceOf(only.inner)];
  // A heredoc is a literal with room for anything, and no secret of another object is written so.
  return (
    pieces.every(({ kind }) => kind !== "heredoc") &&
    pieces.some((piece, at) => refers(piece, pieces[at + 1]))
  );
}

/** In the order of the text, with those of groups and templates. */
function* everyPieceOf(pieces: readonly Piece[]): Generator<Piece> {
  for (const piece of pieces) {
    yield piece;
    if (piece.kind === "group") yield* everyPieceOf(piece.inner);
    if (piece.kind !== "string") continue;
    for (const part of piece.parts) if (typeof part !== "string") yield* everyPieceOf(part);
  }
}

/**
 * A reference (`var.x`, `each.value`, `local.a["k"]`), or a function that reads a file or is a
 * provider's.
 */
function refers(piece: Piece, next: Piece | undefined): boolean {
  if (piece.kind !== "name") return false;
  if (piece.text.lastIndexOf(".") > 0 || piece.text.startsWith("provider::")) return true;
  if (next?.kind !== "group") return false;
  if (next.open === "[") return next.start === piece.end;
  return next.open === "(" && /^(?:core::)?(?:file|filebase64|templatefile)$/.test(piece.text);
}
