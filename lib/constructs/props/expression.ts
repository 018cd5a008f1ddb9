import { Token, Tokenization } from "cdktf";

/**
 * Whether Terraform, and not this program, knows the value: a CDK token, or a text with `${…}` or
 * `%{…}` in it.
 */
export function isExpression(value: unknown): boolean {
  if (typeof value === "string") return Token.isUnresolved(value) || /[$%]\{/.test(value);
  if (typeof value === "number") return Token.isUnresolved(value);
  return Tokenization.isResolvable(value);
}

/**
 * Whether it is, or has in it, what the CDK puts in the place of what only Terraform knows. More
 * than an expression: also the item that stands for a list whose length is not known, which is none
 * where a text is wanted.
 */
export function isCdkToken(value: unknown): boolean {
  return Token.isUnresolved(value) || (typeof value === "string" && value.includes("#{TfToken["));
}

/**
 * A text or an expression as it is, and nothing else: cdktf fails on what it cannot resolve before
 * any validation is heard.
 */
export function emittable(value: unknown): unknown {
  return typeof value === "string" || isExpression(value) ? value : undefined;
}

/**
 * Whether a resolved text is exactly one Terraform expression, `${…}` from its first to its last
 * character, that is more than a literal in disguise: it refers to something. `Bearer ${x}`,
 * `${a}${b}`, `${"text"}` and `${sensitive("text")}` are not: their parts, or all of them, stand in
 * the text itself.
 */
export function isSingleExpression(text: string): boolean {
  return (
    text.startsWith("${") &&
    closingBrace(text, 2) === text.length - 1 &&
    refersToSomething(codeOf(text.slice(2, -1)))
  );
}

/**
 * A reference (`var.x`, `each.value`, `local.a["k"]`), or a function that reads a file or is a
 * provider's.
 */
const REFERENCE =
  /[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}_*\d]|\[)|\b(?:file|filebase64|templatefile)\s*\(|\bprovider::/u;

/** A heredoc is a literal with room for anything, and no secret of another object is written so. */
function refersToSomething(code: string): boolean {
  return REFERENCE.test(code) && !code.includes("<<");
}

/** An expression without the texts in it; what stands in templates inside of texts is kept. */
function codeOf(expression: string): string {
  let code = "";
  for (let at = 0; at < expression.length; at++) {
    if (expression[at] !== '"') {
      code += expression[at];
      continue;
    }
    const end = closingQuote(expression, at + 1);
    if (end === -1) return "";
    code += `"${templatesIn(expression.slice(at + 1, end))}"`;
    at = end;
  }
  return code;
}

/** The code of the templates in a text, apart from each other. */
function templatesIn(text: string): string {
  let code = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (opensTemplate(text, at)) {
      const end = closingBrace(text, at + 2);
      if (end === -1) return "";
      code += ` ${codeOf(text.slice(at + 2, end))} `;
      at = end;
    }
  }
  return code;
}

/** `${` or `%{`, but not the escaped `$${` or `%%{`. */
function opensTemplate(text: string, at: number): boolean {
  const character = text[at];
  return (
    (character === "$" || character === "%") && text[at + 1] === "{" && text[at - 1] !== character
  );
}

/**
 * Where the template that begins before `start` ends, or -1. Strings, and templates in strings, are
 * stepped over.
 */
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
    else if (opensTemplate(text, at)) {
      at = closingBrace(text, at + 2);
      if (at === -1) return -1;
    }
  }
  return -1;
}
