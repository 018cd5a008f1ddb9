/** A `provider` block of a lock file, by its place in the text. */
export interface LockEntry {
  /** As it is written: the full source address. */
  readonly source: string;
  readonly start: number;
  /** Behind the closing brace. */
  readonly end: number;
}

/**
 * Finds the `provider` blocks of a lock file, as Terraform reads it: comments are stepped over.
 *
 * @returns undefined when the text is not of the form that Terraform writes (conflict markers, an
 * open brace): such a file is
 *   not ours to repair, and Terraform says best what is wrong with it
 */
export function scanLockFile(text: string): LockEntry[] | undefined {
  const entries: LockEntry[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) return undefined;
    at = TOKEN.lastIndex;
    const { header, source } = token.groups ?? {};
    if (header === undefined || source === undefined) continue;
    const end = closingBrace(text, at);
    if (end === undefined) return undefined;
    entries.push({ source, start: at - header.length, end });
    at = end;
  }
  return entries;
}

/** White space, a comment, or the head of a block. */
const TOKEN =
  /\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<header>provider[ \t]+"(?<source>[^"\\\n]+)"[ \t]*\{)/y;

/** Inside of a block: strings and comments are stepped over whole, as they may hold braces. */
const INNER =
  /[^"#/{}]+|"(?:[^"\\\n]|\\.)*"|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\/|(?<open>\{)|(?<close>\})/y;

function closingBrace(text: string, start: number): number | undefined {
  let depth = 1;
  INNER.lastIndex = start;
  for (let token = INNER.exec(text); token !== null; token = INNER.exec(text)) {
    if (token.groups?.open !== undefined) depth++;
    if (token.groups?.close !== undefined && --depth === 0) return INNER.lastIndex;
  }
  return undefined;
}
