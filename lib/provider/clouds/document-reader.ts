import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from "yaml";
import { Secret } from "../../tokens";
import type { CloudList, CloudMapping, CloudScalar, CloudsFile, CloudValue } from "./cloud-value";
import { invalidFile } from "./clouds-file-error";
import { jsonScalarForm, scalarForm } from "./scalar-form";

/**
 * How many values a file may have, each alias counted with all that it stands for: "a billion
 * laughs" end here.
 */
const VALUE_LIMIT = 50_000;

const STRING = "tag:yaml.org,2002:str";
/** Tags that say what is so without them. */
const PLAIN_TAGS: ReadonlySet<string> = new Set([
  STRING,
  "tag:yaml.org,2002:map",
  "tag:yaml.org,2002:seq",
]);

/** Reads one parsed document: follows aliases, merges `<<`, refuses what is ambiguous. */
export class DocumentReader {
  private readonly anchors = new Map<string, CloudValue>();
  private readonly sizes = new WeakMap<CloudValue, number>();
  private size = 0;

  constructor(
    private readonly file: CloudsFile,
    private readonly json: boolean,
    private readonly lineAt: (offset: number) => number,
  ) {}

  /** @throws ERR_CLOUDS_FILE_INVALID */
  read(node: unknown): CloudValue {
    if (isAlias(node)) return this.aliased(node.source, node);
    const before = this.size;
    this.count(1, node);
    const value = this.collectionOrScalar(node);
    this.sizes.set(value, this.size - before);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    // Only now: an alias to what it stands in itself is refused as one that has no anchor before
    // it.
    if (anchor !== undefined) this.anchors.set(anchor, value);
    return value;
  }

  private collectionOrScalar(node: unknown): CloudValue {
    if (isMap(node)) return this.mapping(this.checked(node));
    if (!isSeq(node))
      return this.scalar(isScalar(node) ? this.checked(node) : new Scalar(""), node);
    const items = this.checked(node).items.map((item) => this.read(item));
    return { kind: "list", items, ...this.place(node) } satisfies CloudList;
  }

  private scalar(node: Scalar, place: unknown): CloudScalar {
    const text = typeof node.value === "string" ? node.value : "";
    const bare = (node.type ?? Scalar.PLAIN) === Scalar.PLAIN && node.tag !== STRING;
    const form = !bare ? "text" : this.json ? jsonScalarForm(text) : scalarForm(text);
    return { kind: "scalar", text: Secret.of(text), form, ...this.place(place) };
  }

  private mapping(node: YAMLMap): CloudMapping {
    const own = new Map<string, CloudValue>();
    const otherKeys = new Set<string>();
    let merged: ReadonlyMap<string, CloudValue> | undefined;
    for (const pair of node.items) {
      const key = this.key(pair);
      if (key.text.reveal() === "<<" && key.form === "other") {
        if (merged !== undefined)
          throw this.invalid("<< stands there twice in one mapping", pair.key);
        merged = this.merged(pair);
        continue;
      }
      const keys = key.form === "text" ? own : otherKeys;
      if (keys.has(key.text.reveal()))
        throw this.invalid("a key stands there twice in one mapping", pair.key);
      const value = this.read(pair.value);
      if (key.form === "text") own.set(key.text.reveal(), value);
      else otherKeys.add(key.text.reveal());
    }
    const entries = merged === undefined ? own : new Map([...merged, ...own]);
    return { kind: "mapping", entries, otherKeys, ...this.place(node) };
  }

  private key({ key }: Pair): CloudScalar {
    if (isScalar(key) && key.anchor === undefined) return this.scalar(this.checked(key), key);
    if (key === null) return this.scalar(new Scalar(""), key);
    throw this.invalid("a key is not a text", key);
  }

  /** What `<<` brings in: of several mappings the first one that has a key gives it. */
  private merged(pair: Pair): ReadonlyMap<string, CloudValue> {
    const value = this.read(pair.value);
    const sources = value.kind === "list" ? [...value.items].reverse() : [value];
    const entries = new Map<string, CloudValue>();
    for (const source of sources) {
      if (source.kind !== "mapping")
        throw this.invalid("<< is given something else than mappings", pair.key);
      this.count(source.entries.size, pair.key);
      for (const [key, each] of source.entries) entries.set(key, each);
    }
    return entries;
  }

  private aliased(anchor: string, node: unknown): CloudValue {
    const value = this.anchors.get(anchor);
    if (value === undefined) throw this.invalid("an alias has no anchor before it", node);
    this.count(this.sizes.get(value) ?? 1, node);
    return value;
  }

  private checked<T extends Node>(node: T): T {
    if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag))
      throw this.invalid("a value has a tag", node);
    return node;
  }

  private count(more: number, node: unknown): void {
    this.size += more;
    if (this.size > VALUE_LIMIT)
      throw this.invalid(`there are more than ${VALUE_LIMIT} values in it, aliases counted`, node);
  }

  private place(node: unknown): Pick<CloudValue, "file" | "line"> {
    const offset =
      isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
    return { file: this.file, line: this.lineAt(offset ?? 0) };
  }

  private invalid(problem: string, node: unknown): Error {
    return invalidFile(this.file, problem, { line: this.place(node).line });
  }
}
