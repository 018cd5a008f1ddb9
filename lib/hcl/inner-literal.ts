import { type Part, type Piece, scanHcl } from "./scan";

/**
 * A literal in an expression that can become its value, or a part of it: the fallback of
 * `coalesce(var.x, "text")`, the characters around `"text${var.x}"`. Strings that only select
 * values (keys, comparisons, separators, patterns, names of files) do not count, nor do strings
 * that are too short for a secret.
 *
 * @param expression without `${` and `}`
 * @returns its place, in words, and never the literal; in anything but HCL, any part may be a
 * literal
 */
export function innerLiteral(expression: string): string | undefined {
  const pieces = scanHcl(expression);
  const whole = "the expression itself";
  return pieces === undefined ? whole : inItems(pieces, whole, false);
}

/** Public literals: an empty string, a separator. */
const LONGEST_HARMLESS = 2;

/**
 * Arguments of functions that select or shape the result without becoming a part of it, by
 * position; "all" if the result is of another kind.
 */
const CHOOSING: Readonly<Record<string, readonly number[] | "all">> = {
  can: "all",
  contains: "all",
  element: [1],
  endswith: "all",
  file: "all",
  filebase64: "all",
  fileexists: "all",
  index: "all",
  join: [0],
  length: "all",
  lookup: [1],
  matchkeys: [1, 2],
  parseint: [1],
  regex: [0],
  regexall: [0],
  replace: [1],
  rsadecrypt: [0],
  slice: [1, 2],
  split: [0],
  startswith: "all",
  strcontains: "all",
  substr: [1, 2],
  templatefile: [0],
  textdecodebase64: [1],
  textencodebase64: [1],
  trim: [1],
  trimprefix: [1],
  trimsuffix: [1],
  zipmap: [0],
};

/** Functions whose first argument contains verbs, which the other arguments replace. */
const FORMATTING: ReadonlySet<string> = new Set(["format", "formatlist"]);
const VERB = /%[-+ #0-9.[\]*]*[a-zA-Z%]/g;

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", ">", "<=", ">="]);

/** Parts between commas; in braces, a new line separates as well. */
function itemsOf(pieces: readonly Piece[], inBraces: boolean): Piece[][] {
  const items: Piece[][] = [[]];
  for (const piece of pieces) {
    if (isSign(piece, ",") || (inBraces && piece.kind === "newline")) items.push([]);
    else if (piece.kind !== "newline") items.at(-1)?.push(piece);
  }
  return items;
}

function inItems(pieces: readonly Piece[], where: string, inBraces: boolean): string | undefined {
  return firstOf(itemsOf(pieces, inBraces), (item) => inItem(item, where, inBraces));
}

function inItem(item: readonly Piece[], where: string, inBraces: boolean): string | undefined {
  const filter = item.findIndex((piece) => piece.kind === "name" && piece.text === "if");
  const inspected = filter === -1 ? item : item.slice(0, filter);
  // In `a ? b : c`, the condition only selects. In a `for`, it begins after the colon, before which
  // there is the collection.
  const question = inspected.findIndex((piece) => isSign(piece, "?"));
  const colon = inspected.findIndex((piece, at) => at < question && isSign(piece, ":"));
  const values = inspected
    .map((piece, at) => ({ piece, at, before: inspected[at - 1], after: inspected[at + 1] }))
    .filter(({ at }) => at < colon || at > question);
  return firstOf(values, ({ piece, at, before, after }) => {
    const isKey =
      isSign(after, "=>") || (inBraces && at === 0 && (isSign(after, "=") || isSign(after, ":")));
    if (isKey || isComparison(before) || isComparison(after)) return undefined;
    switch (piece.kind) {
      case "string":
        return inText(piece.parts, where);
      case "number":
        return piece.text.length > LONGEST_HARMLESS ? where : undefined;
      case "group":
        if (piece.open === "[" && isValue(before)) return undefined;
        if (piece.open === "(" && before?.kind === "name" && isValue(before))
          return inCall(before.text, piece.inner);
        return inItems(piece.inner, where, piece.open === "{");
      case "heredoc":
        return where;
      default:
        return undefined;
    }
  });
}

function inText(parts: readonly Part[], where: string): string | undefined {
  const text = parts.filter((part) => typeof part === "string").join("");
  if (text.length > LONGEST_HARMLESS) return where;
  return firstOf(parts, (part) =>
    typeof part === "string" ? undefined : inItems(part, "a template", false),
  );
}

function inCall(name: string, inner: readonly Piece[]): string | undefined {
  const called = name.replace(/^core::/, "");
  // The result of a provider's function is unknown: such a string may be the name of a secret.
  if (called.startsWith("provider::")) return undefined;
  const choosing = Object.hasOwn(CHOOSING, called) ? CHOOSING[called] : undefined;
  if (choosing === "all") return undefined;
  const where = `the arguments of ${called}(…)`;
  return firstOf(
    itemsOf(inner, false).map((item, index) => ({ item, index })),
    ({ item, index }) => {
      if (choosing?.includes(index)) return undefined;
      return inItem(
        index === 0 && FORMATTING.has(called) ? item.map(withoutVerbs) : item,
        where,
        false,
      );
    },
  );
}

function withoutVerbs(piece: Piece): Piece {
  if (piece.kind !== "string") return piece;
  return {
    ...piece,
    parts: piece.parts.map((part) => (typeof part === "string" ? part.replace(VERB, "") : part)),
  };
}

function isSign(piece: Piece | undefined, sign: string): boolean {
  return piece?.kind === "sign" && piece.text === sign;
}

function isComparison(piece: Piece | undefined): boolean {
  return piece?.kind === "sign" && COMPARISONS.has(piece.text);
}

/** Whether a bracket after it is an index or a call. After `in` it is a collection. */
function isValue(piece: Piece | undefined): boolean {
  return (
    piece !== undefined && piece.kind !== "sign" && !(piece.kind === "name" && piece.text === "in")
  );
}

function firstOf<T>(all: readonly T[], look: (each: T) => string | undefined): string | undefined {
  for (const each of all) {
    const found = look(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
