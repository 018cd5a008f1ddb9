import { Token, Tokenization } from "cdktf";

/** Whether Terraform, and not this program, knows the value: a CDK token, or a text with `${…}` or `%{…}` in it. */
export function isExpression(value: unknown): boolean {
  if (typeof value === "string") return Token.isUnresolved(value) || /[$%]\{/.test(value);
  if (typeof value === "number") return Token.isUnresolved(value);
  return Tokenization.isResolvable(value);
}

/** A text or an expression as it is, and nothing else: cdktf fails on what it cannot resolve before any validation is heard. */
export function emittable(value: unknown): unknown {
  return typeof value === "string" || isExpression(value) ? value : undefined;
}

/**
 * Whether a resolved text is exactly one Terraform expression, `${…}` from its first to its last character, that is more than
 * a literal in disguise. `Bearer ${x}`, `${a}${b}` and `${"text"}` are not: parts of them stand in the text itself.
 */
export function isSingleExpression(text: string): boolean {
  if (!text.startsWith("${") || closingBrace(text, 2) !== text.length - 1) return false;
  return !/^\s*(?:"[^"$%]*"|[-+.\deE]*|true|false|null)\s*$/.test(text.slice(2, -1));
}

/** Where the template that begins before `start` ends, or -1. Strings, and templates in strings, are stepped over. */
function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at;
    else if (character === '"') {
      at = closingQuote(text, at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}

function closingQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === '"') return at;
    else if ((character === "$" || character === "%") && text[at + 1] === "{" && text[at - 1] !== character) {
      at = closingBrace(text, at + 2);
      if (at === -1) return -1;
    }
  }
  return -1;
}
