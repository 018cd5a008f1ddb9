/**
 * A value: a text (templates in it stay as they are written), a list of texts, a table, or
 * something that is to be computed.
 */
export type HclValue = string | readonly string[] | HclBody | Expression;

/** An expression as it is written. */
export interface Expression {
  readonly expression: string;
}

export interface HclBody {
  readonly attributes: ReadonlyMap<string, HclValue>;
  readonly blocks: readonly HclBlock[];
}

export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly body: HclBody;
}

/** Braces in braces; far above what people write, and far below what would end the process. */
const MAX_DEPTH = 60;

/**
 * Reads the blocks and the literal attributes of HCL, as Terraform's configurations and those of
 * its command line have it (which are of an older HCL). Nothing is computed. Comments, strings,
 * templates and here documents are stepped over as Terraform does.
 *
 * @returns undefined for a text that is no HCL: Terraform says best what is wrong with it
 */
export function parseHcl(text: string): HclBody | undefined {
  try {
    const reader = new Reader(tokensOf(text.replace(/^\uFEFF/, "")));
    const body = reader.body(0);
    return reader.atEnd ? body : undefined;
  } catch (error) {
    if (error instanceof NotHcl) return undefined;
    throw error;
  }
}

class NotHcl extends Error {}

interface Token {
  readonly kind: "name" | "string" | "newline" | "mark";
  /** Of a string: what stands between the quotes. */
  readonly text: string;
}

const STEP =
  /(?<blank>[ \t\r]+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<newline>\n)|<<-?(?<heredoc>[\w-]+)[ \t]*\r?\n|(?<name>[\p{L}_][\p{L}\p{N}_.-]*|\d[\w.]*)|(?<quote>")|(?<mark>[\s\S])/uy;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null) throw new NotHcl();
    at = STEP.lastIndex;
    const { newline, heredoc, name, quote, mark } = match.groups ?? {};
    if (newline !== undefined) tokens.push({ kind: "newline", text: "\n" });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (mark !== undefined) tokens.push({ kind: "mark", text: mark });
    else if (heredoc !== undefined) {
      const end = new RegExp(`^[ \\t]*${heredoc}[ \\t]*\\r?$`, "m");
      const rest = text.slice(at);
      const found = end.exec(rest);
      if (found === null) throw new NotHcl();
      // Never what is looked for here: it counts as something that is to be computed.
      tokens.push({ kind: "mark", text: "<<" });
      at += found.index + found[0].length;
    } else if (quote !== undefined) {
      const end = stringEnd(text, at, 0);
      tokens.push({ kind: "string", text: text.slice(at, end) });
      at = end + 1;
    }
  }
  return tokens;
}

/** The place of the closing quote. A template in a string may hold strings. */
function stringEnd(text: string, start: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new NotHcl();
  for (let at = start; at < text.length; at++) {
    const two = text.slice(at, at + 2);
    if (text[at] === '"') return at;
    if (text[at] === "\n") break;
    if (text[at] === "\\") at++;
    else if (two === "$$" || two === "%%") at++;
    else if (two === "${" || two === "%{") at = templateEnd(text, at + 2, depth + 1);
  }
  throw new NotHcl();
}

function templateEnd(text: string, start: number, depth: number): number {
  for (let at = start, open = 1; at < text.length; at++) {
    if (text[at] === '"') at = stringEnd(text, at + 1, depth);
    else if (text[at] === "{") open++;
    else if (text[at] === "}" && --open === 0) return at;
  }
  throw new NotHcl();
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

class Reader {
  #at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get atEnd(): boolean {
    return this.#at === this.tokens.length;
  }

  body(depth: number): HclBody {
    if (depth > MAX_DEPTH) throw new NotHcl();
    const attributes = new Map<string, HclValue>();
    const blocks: HclBlock[] = [];
    for (;;) {
      while (this.#is("\n") || this.#is(",")) this.#at++;
      const token = this.tokens[this.#at];
      if (token === undefined || (token.kind === "mark" && token.text === "}"))
        return { attributes, blocks };
      if (token.kind === "mark") throw new NotHcl();
      this.#at++;
      if (this.#is("=") || this.#is(":")) {
        this.#at++;
        attributes.set(plain(token), this.#value(depth));
      } else {
        blocks.push({ type: plain(token), ...this.#block(depth) });
      }
    }
  }

  #block(depth: number): Pick<HclBlock, "labels" | "body"> {
    const labels: string[] = [];
    for (
      let token = this.tokens[this.#at];
      token?.kind === "name" || token?.kind === "string";
      token = this.tokens[this.#at]
    ) {
      labels.push(plain(token));
      this.#at++;
    }
    if (!this.#is("{")) throw new NotHcl();
    this.#at++;
    return { labels, body: this.#closed(depth) };
  }

  #closed(depth: number): HclBody {
    const body = this.body(depth + 1);
    if (!this.#is("}")) throw new NotHcl();
    this.#at++;
    return body;
  }

  #value(depth: number): HclValue {
    const start = this.#at;
    if (this.#is("{")) {
      this.#at++;
      try {
        const table = this.#closed(depth);
        if (this.#endsHere()) return table;
      } catch (error) {
        if (!(error instanceof NotHcl) || depth > MAX_DEPTH) throw error;
      }
      this.#at = start;
    }
    return this.#expression();
  }

  /** To the end of the line, or of the table or list that it stands in. */
  #expression(): HclValue {
    const start = this.#at;
    const open: string[] = [];
    for (; !this.atEnd && !(open.length === 0 && this.#endsHere()); this.#at++) {
      const token = this.tokens[this.#at];
      if (token?.kind !== "mark") continue;
      const closing = CLOSING[token.text];
      if (closing !== undefined) open.push(closing);
      else if (")]}".includes(token.text) && open.pop() !== token.text) throw new NotHcl();
    }
    if (open.length > 0 || this.#at === start) throw new NotHcl();
    const tokens = this.tokens.slice(start, this.#at);
    const [first] = tokens;
    if (first?.kind === "string" && tokens.length === 1) return plain(first);
    return textsIn(tokens) ?? { expression: tokens.map(({ text }) => text).join("") };
  }

  #endsHere(): boolean {
    return this.atEnd || this.#is("\n") || this.#is(",") || this.#is("}");
  }

  #is(mark: string): boolean {
    const token = this.tokens[this.#at];
    return (
      token !== undefined &&
      (token.kind === "mark" || token.kind === "newline") &&
      token.text === mark
    );
  }
}

function textsIn(tokens: readonly Token[]): readonly string[] | undefined {
  const [first, ...rest] = tokens.filter(({ kind }) => kind !== "newline");
  const last = rest.pop();
  if (first?.text !== "[" || first.kind !== "mark" || last?.text !== "]") return undefined;
  const texts = rest.filter(({ kind, text }) => kind !== "mark" || text !== ",");
  return texts.every(({ kind }) => kind === "string") ? texts.map(plain) : undefined;
}

/** The escapes of HCL are those of JSON, less some. */
function plain({ kind, text }: Token): string {
  if (kind !== "string" || !text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
