import {
  Composer,
  type CST,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { Secret } from "../../tokens";
import {
  type CloudMapping,
  type CloudScalar,
  type CloudsFile,
  type CloudValue,
  invalidFile,
} from "./cloud-value";

/** Maximum nesting of collections; a clouds file has about six levels. */
const DEPTH_LIMIT = 40;

/**
 * Maximum number of values in a file, with every alias counted as all values that it stands for:
 * this stops "a billion laughs", and what merge keys copy.
 */
const VALUE_LIMIT = 50_000;

const STRING = "tag:yaml.org,2002:str";

/** What the library's errors are called here. Its messages quote the file. */
const PROBLEMS: Partial<Record<ErrorCode, string>> = {
  NON_STRING_KEY: "a key is not a string",
  TAB_AS_INDENT: "there is a tab; indentation consists of spaces",
};

const NO_YAML = "this is not YAML or JSON";

/**
 * Parses a clouds file: YAML 1.1, which JSON is a part of. No error contains anything of the file.
 *
 * @returns undefined if the file is empty
 * @throws ERR_CLOUDS_FILE_INVALID
 */
export function parseCloudsFile(text: string, file: CloudsFile): CloudValue | undefined {
  return new CloudsFileReader(file).parse(text);
}

/**
 * Walks the nodes of the `yaml` package instead of using its JavaScript values: these have no
 * lines, the check for duplicate keys takes a minute for a large file, and the limit for aliases
 * does not limit what `<<` copies.
 */
class CloudsFileReader {
  private readonly lines = new LineCounter();
  /** The values with an anchor, and how many values each one is. */
  private readonly anchors = new Map<string, readonly [CloudValue, size: number]>();
  private size = 0;

  constructor(private readonly file: CloudsFile) {}

  parse(text: string): CloudValue | undefined {
    if (/[^\P{Cc}\t\n\r\x85]/u.test(text))
      throw invalidFile(this.file, "it has a control character");
    const composer = new Composer({
      // Whatever version a directive names: OpenStack's clients read all files as YAML 1.1.
      schema: "yaml-1.1",
      version: "1.1",
      stringKeys: true,
      uniqueKeys: false,
      prettyErrors: false,
    });
    const [document, another] = composer.compose(this.tokens(text), true, text.length);
    if (another !== undefined) throw invalidFile(this.file, "it has more than one document");
    const mistake = document?.errors[0];
    if (mistake !== undefined)
      throw this.invalid(PROBLEMS[mistake.code] ?? NO_YAML, mistake.pos[0]);
    return document?.contents ? this.read(document.contents) : undefined;
  }

  /**
   * The library's own parser, stopped at the first mistake and at too deep a nesting: the composer
   * recurses, and V8 ends the process if it has to compile a regular expression when the stack is
   * almost full.
   */
  private *tokens(text: string): Generator<CST.Token, void> {
    const parser = new Parser(this.lines.addNewLine);
    this.lines.addNewLine(0);
    for (const lexeme of new Lexer().lex(text)) {
      yield* this.correct(parser.next(lexeme));
      // The document is at the bottom of the stack.
      if (parser.stack.length > DEPTH_LIMIT + 1)
        throw this.invalid("collections are nested too deeply", parser.offset);
    }
    yield* this.correct(parser.end());
  }

  private *correct(tokens: Iterable<CST.Token>): Generator<CST.Token, void> {
    for (const token of tokens) {
      if (token.type === "error") throw this.invalid(NO_YAML, token.offset);
      yield token;
    }
  }

  private read(node: unknown): CloudValue {
    if (isAlias(node)) {
      const [value, size] = this.anchors.get(node.source) ?? [];
      if (value === undefined) throw this.invalid("an alias has no preceding anchor", node);
      this.count(size ?? 1, node);
      return value;
    }
    const before = this.size;
    this.count(1, node);
    if (isNode(node) && node.tag !== undefined && node.tag !== STRING)
      throw this.invalid("a value has a tag", node);
    const value = isMap(node)
      ? this.mapping(node)
      : isSeq(node)
        ? this.list(node)
        : this.scalar(node);
    // Not earlier: an alias within its own anchor is then refused.
    if (isNode(node) && node.anchor !== undefined)
      this.anchors.set(node.anchor, [value, this.size - before]);
    return value;
  }

  private list(node: YAMLSeq): CloudValue {
    return { kind: "list", items: node.items.map((item) => this.read(item)), ...this.place(node) };
  }

  private scalar(node: unknown): CloudScalar {
    const scalar = isScalar(node) ? node : new Scalar(null);
    const text = Secret.of(scalar.source ?? "");
    return { kind: "scalar", text, form: formOf(scalar), ...this.place(node) };
  }

  private mapping(node: YAMLMap): CloudMapping {
    const own = new Map<string, CloudValue>();
    const merged = new Map<string, CloudValue>();
    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      const { source: name = "", type } = key as Scalar;
      if (keys.has(name)) throw this.invalid("a key occurs twice in one mapping", key);
      keys.add(name);
      const read = this.read(value);
      if (name === "<<" && type === Scalar.PLAIN) this.merge(read, merged, key);
      else own.set(name, read);
    }
    return { kind: "mapping", entries: new Map([...merged, ...own]), ...this.place(node) };
  }

  /** The values from `<<`: of several mappings, the first one with a key provides its value. */
  private merge(value: CloudValue, into: Map<string, CloudValue>, key: unknown): void {
    for (const source of value.kind === "list" ? [...value.items].reverse() : [value]) {
      if (source.kind !== "mapping")
        throw this.invalid("<< has a value that is not a mapping", key);
      for (const [name, each] of source.entries) into.set(name, each);
    }
  }

  private count(more: number, node: unknown): void {
    this.size += more;
    if (this.size > VALUE_LIMIT)
      throw this.invalid(`it has more than ${VALUE_LIMIT} values, including aliases`, node);
  }

  /** @param at a node, or an offset in the text */
  private place(at: unknown): Pick<CloudValue, "file" | "line"> {
    const offset = isNode(at) ? at.range?.[0] : at;
    return { file: this.file, line: this.lines.linePos(Number(offset ?? 0)).line || 1 };
  }

  private invalid(problem: string, at: unknown): Error {
    return invalidFile(this.file, problem, { line: this.place(at).line });
  }
}

/** Without quotes, only decimal digits are to OpenStack's clients the string that is written. */
function formOf({ value, source = "" }: Scalar): CloudScalar["form"] {
  if (typeof value === "string" || /^(?:0|[1-9][0-9]*)$/.test(source)) return "text";
  if (value === null) return "null";
  return typeof value === "boolean" ? (value ? "true" : "false") : "other";
}
