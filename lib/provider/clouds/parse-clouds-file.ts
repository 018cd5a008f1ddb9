import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";
import type { CloudsFile, CloudValue } from "./cloud-value";
import { invalidFile } from "./clouds-file-error";
import { DocumentReader } from "./document-reader";

/**
 * How deep collections may stand in each other. A clouds file has about six; the library that reads
 * them has no limit of its own.
 */
const DEPTH_LIMIT = 40;

/**
 * Parses a clouds file: YAML, or JSON when its name ends so. Nothing of its content enters an
 * error: not the library's messages either, which quote the line.
 *
 * @returns undefined when there is nothing in it
 * @throws ERR_CLOUDS_FILE_INVALID
 */
export function parseCloudsFile(text: string, file: CloudsFile): CloudValue | undefined {
  const json = file.path.endsWith("json");
  if (json) assertJson(text, file);
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line || 1;
  const tokens: CST.Token[] = [];
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    if (token.type === "error")
      throw invalidFile(file, "this is not YAML", { line: lineAt(token.offset) });
    tokens.push(token);
  }
  if (!json) assertNoTabs(text, file, lineAt);
  assertShallow(tokens, file, lineAt);
  const documents: Document.Parsed[] = [];
  // The schema of texts alone: what a scalar means is decided by `scalarForm`, by the rules of
  // OpenStack's clients.
  const options = {
    schema: "failsafe",
    version: "1.1",
    uniqueKeys: false,
    prettyErrors: false,
  } as const;
  for (const document of new Composer(options).compose(tokens, true, text.length)) {
    documents.push(document as Document.Parsed);
    if (documents.length > 1) throw invalidFile(file, "there is more than one document in it");
  }
  const [document] = documents;
  const mistake = document?.errors[0];
  if (mistake !== undefined)
    throw invalidFile(file, "this is not YAML", { line: lineAt(mistake.pos[0]) });
  if (document?.contents === undefined || document.contents === null) return undefined;
  return new DocumentReader(file, json, lineAt).read(document.contents);
}

/**
 * By the platform's parser, as YAML allows more. Its message quotes the text, and is not handed on.
 */
function assertJson(text: string, file: CloudsFile): void {
  try {
    JSON.parse(text);
  } catch {
    throw invalidFile(file, "this is not JSON");
  }
}

/** Tabs for indentation and between values; in texts with quotes and in comments they may stand. */
function assertNoTabs(text: string, file: CloudsFile, lineAt: (offset: number) => number): void {
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (/^[ \t]*\t[ \t]*$/.test(lexeme))
      throw invalidFile(
        file,
        "a tab stands there; OpenStack's clients take spaces, also where YAML allows tabs",
        {
          line: lineAt(offset),
        },
      );
    // These stand in no text: the lexer tells by them what comes next.
    if (!LEXER_SIGNS.has(lexeme)) offset += lexeme.length;
  }
}

const LEXER_SIGNS: ReadonlySet<string> = new Set(["\x02", "\x18", "\x1f"]);

/**
 * Without recursion: what comes after this has one, and a text of half a million brackets would end
 * the process.
 */
function assertShallow(
  tokens: readonly CST.Token[],
  file: CloudsFile,
  lineAt: (offset: number) => number,
): void {
  const waiting = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > DEPTH_LIMIT)
      throw invalidFile(file, "collections stand too deep in each other", {
        line: lineAt(token.offset),
      });
    for (const child of childrenOf(token)) waiting.push({ token: child, depth: depth + 1 });
  }
}

function childrenOf(token: CST.Token): readonly CST.Token[] {
  if (token.type === "document") return token.value === undefined ? [] : [token.value];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) =>
    [key, value].filter((each) => each !== undefined && each !== null),
  );
}
