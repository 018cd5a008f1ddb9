import { type Piece, scanHcl } from "./scan";

/**
 * Whether a string is exactly one Terraform expression, `${…}` from its first to its last
 * character, that refers to something. `Bearer ${x}`, `${a}${b}`, `${"text"}` and
 * `${sensitive("text")}` are not: the string itself contains a part of their value, or all of it.
 */
export function isSingleExpression(text: string): boolean {
  if (!text.startsWith("${")) return false;
  // After the dollar sign, there is one group in braces.
  const only = scanHcl(text.slice(1))?.[0];
  if (only?.kind !== "group" || only.end !== text.length - 1) return false;
  const pieces = [...everyPieceOf(only.inner)];
  // A here document is a literal that may contain anything, and is not used to refer to a secret.
  return (
    pieces.every(({ kind }) => kind !== "heredoc") &&
    pieces.some((piece, at) => refers(piece, pieces[at + 1]))
  );
}

/** All pieces in their order, including those in groups and templates. */
function* everyPieceOf(pieces: readonly Piece[]): Generator<Piece> {
  for (const piece of pieces) {
    yield piece;
    if (piece.kind === "group") yield* everyPieceOf(piece.inner);
    if (piece.kind !== "string") continue;
    for (const part of piece.parts) if (typeof part !== "string") yield* everyPieceOf(part);
  }
}

/**
 * A reference (`var.x`, `each.value`, `local.a["k"]`), or a function that reads a file or belongs
 * to a provider.
 */
function refers(piece: Piece, next: Piece | undefined): boolean {
  if (piece.kind !== "name") return false;
  if (piece.text.lastIndexOf(".") > 0 || piece.text.startsWith("provider::")) return true;
  if (next?.kind !== "group") return false;
  if (next.open === "[") return next.start === piece.end;
  return next.open === "(" && /^(?:core::)?(?:file|filebase64|templatefile)$/.test(piece.text);
}
