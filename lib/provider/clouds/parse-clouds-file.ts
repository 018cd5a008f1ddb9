import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
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
import { jsonScalarForm, scalarForm } from "./scalar-form";

/** Maximum nesting of collections; a clouds file has about six levels. */
const DEPTH_LIMIT = 40;

/**
 * Maximum number of values in a file, with every alias counted as all values that it stands for:
 * this stops "a billion laughs".
 */
const VALUE_LIMIT = 50_000;

const STRING = "tag:yaml.org,2002:str";
/** Tags that change nothing. */
const PLAIN_TAGS: ReadonlySet<string> = new Set([
  STRING,
  "tag:yaml.org,2002:map",
  "tag:yaml.org,2002:seq",
]);

/**
 * Parses a clouds file: YAML, or JSON if its name ends in .json. No error contains anything of the
 * file: the library's messages, which quote the line, are not passed on.
 *
 * @returns undefined if the file is empty
 * @throws ERR_CLOUDS_FILE_INVALID
 */
export function parseCloudsFile(text: string, file: CloudsFile): CloudValue | undefined {
  return new CloudsFileReader(file).parse(text);
}

/**
 * Walks the nodes of the `yaml` package instead of using its JavaScript values: these have no
 * lines, the check of their keys takes a minute for 256 KiB, and the limit for aliases does not
 * limit what `<<` copies.
 */
class CloudsFileReader {
  private readonly json: boolean;
  private readonly lines = new LineCounter();
  private readonly anchors = new Map<string, CloudValue>();
  private readonly sizes = new WeakMap<CloudValue, number>();
  private size = 0;

  constructor(private readonly file: CloudsFile) {
    this.json = file.path.endsWith("json");
  }

  parse(text: string): CloudValue | undefined {
    if (this.json) this.assertJson(text);
    // Only strings: the rules of OpenStack's clients decide the meaning of a scalar.
    const options = { schema: "failsafe", uniqueKeys: false, prettyErrors: false } as const;
    const composer = new Composer({ ...options, version: "1.1" });
    const [document, another] = composer.compose(this.tokens(text), true, text.length);
    if (another !== undefined) throw invalidFile(this.file, "it has more than one document");
    const mistake = document?.errors[0];
    if (mistake !== undefined) throw this.invalid("this is not YAML", mistake.pos[0]);
    return document?.contents ? this.read(document.contents) : undefined;
  }

  /** The platform's parser, because YAML allows more than JSON. */
  private assertJson(text: string): void {
    try {
      JSON.parse(text);
    } catch {
      throw invalidFile(this.file, "this is not JSON");
    }
  }

  /**
   * The tokens of a string. Refuses nesting that is too deep for the recursion that follows, and
   * tabs as indentation or between values; in quotes and in comments, tabs are allowed.
   */
  private *tokens(text: string): Generator<CST.Token, void> {
    const parser = new Parser(this.lines.addNewLine);
    this.lines.addNewLine(0);
    for (const lexeme of new Lexer().lex(text)) {
      if (!this.json && lexeme.includes("\t") && /^[ \t]+$/.test(lexeme))
        throw this.invalid(
          "there is a tab; OpenStack's clients only accept spaces, even where YAML allows tabs",
          parser.offset,
        );
      yield* this.correct(parser.next(lexeme));
      // The document is at the bottom of the stack.
      if (parser.stack.length > DEPTH_LIMIT + 1)
        throw this.invalid("collections are nested too deeply", parser.offset);
    }
    yield* this.correct(parser.end());
  }

  private *correct(tokens: Iterable<CST.Token>): Generator<CST.Token, void> {
    for (const token of tokens) {
      if (token.type === "error") throw this.invalid("this is not YAML", token.offset);
      yield token;
    }
  }

  private read(node: unknown): CloudValue {
    if (isAlias(node)) {
      const value = this.anchors.get(node.source);
      if (value === undefined) throw this.invalid("an alias has no preceding anchor", node);
      this.count(this.sizes.get(value) ?? 1, node);
      return value;
    }
    const before = this.size;
    this.count(1, node);
    this.assertPlain(node);
    const value = isMap(node)
      ? this.mapping(node)
      : isSeq(node)
        ? this.list(node)
        : this.scalar(node);
    this.sizes.set(value, this.size - before);
    // Not earlier: an alias to its own container is then refused as one without an anchor before
    // it.
    if (isNode(node) && node.anchor !== undefined) this.anchors.set(node.anchor, value);
    return value;
  }

  private list(node: YAMLSeq): CloudValue {
    return { kind: "list", items: node.items.map((item) => this.read(item)), ...this.place(node) };
  }

  private scalar(node: unknown): CloudScalar {
    const { value, type = Scalar.PLAIN, tag } = isScalar(node) ? node : new Scalar("");
    const text = typeof value === "string" ? value : "";
    const bare = type === Scalar.PLAIN && tag !== STRING;
    const form = !bare ? "text" : this.json ? jsonScalarForm(text) : scalarForm(text);
    return { kind: "scalar", text: Secret.of(text), form, ...this.place(node) };
  }

  private mapping(node: YAMLMap): CloudMapping {
    const own = new Map<string, CloudValue>();
    const otherKeys = new Set<string>();
    let merged: ReadonlyMap<string, CloudValue> | undefined;
    for (const pair of node.items) {
      const { text, form } = this.key(pair);
      const key = text.reveal();
      if (key === "<<" && form === "other") {
        if (merged !== undefined) throw this.invalid("<< occurs twice in one mapping", pair.key);
        merged = this.merged(pair);
        continue;
      }
      if ((form === "text" ? own : otherKeys).has(key))
        throw this.invalid("a key occurs twice in one mapping", pair.key);
      const value = this.read(pair.value);
      if (form === "text") own.set(key, value);
      else otherKeys.add(key);
    }
    const entries = new Map([...(merged ?? []), ...own]);
    return { kind: "mapping", entries, otherKeys, ...this.place(node) };
  }

  private key({ key }: Pair): CloudScalar {
    if (key !== null && !(isScalar(key) && key.anchor === undefined))
      throw this.invalid("a key is not a string", key);
    this.assertPlain(key);
    return this.scalar(key);
  }

  /** The values from `<<`: of several mappings, the first one with a key provides its value. */
  private merged(pair: Pair): ReadonlyMap<string, CloudValue> {
    const value = this.read(pair.value);
    const sources = value.kind === "list" ? [...value.items].reverse() : [value];
    const entries = new Map<string, CloudValue>();
    for (const source of sources) {
      if (source.kind !== "mapping")
        throw this.invalid("<< has a value that is not a mapping", pair.key);
      this.count(source.entries.size, pair.key);
      for (const [key, each] of source.entries) entries.set(key, each);
    }
    return entries;
  }

  private assertPlain(node: unknown): void {
    if (isNode(node) && node.tag !== undefined && !PLAIN_TAGS.has(node.tag))
      throw this.invalid("a value has a tag", node);
  }

  private count(more: number, node: unknown): void {
    this.size += more;
    if (this.size > VALUE_LIMIT)
      throw this.invalid(`it has more than ${VALUE_LIMIT} values, including aliases`, node);
  }

  /** @param at a node, or an offset in the text */
  private place(at: unknown): Pick<CloudValue, "file" | "line"> {
    const offset = typeof at === "number" ? at : isNode(at) ? at.range?.[0] : undefined;
    return { file: this.file, line: this.lines.linePos(offset ?? 0).line || 1 };
  }

  private invalid(problem: string, at: unknown): Error {
    return invalidFile(this.file, problem, { line: this.place(at).line });
  }
}
