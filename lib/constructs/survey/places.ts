import type { IConstruct } from "constructs";
import type { TokenRecord } from "../declarations/registry";
import type { MarkingResolver, TokenReference } from "../declarations/token-reference";
import { Leaf, type Part, type Table } from "./configuration";

/** A value, or a key, that refers to a token or to a local value. */
export interface Place {
  /** The construct that gives it. */
  readonly user: IConstruct;
  /** From the top of `cdk.tf.json`: `output`, `url`, `value`; of a key, those of what has it. */
  readonly path: readonly string[];
  /** The kind of the block: `resource`, or `data` even in a check. */
  readonly block: string;
  /** Its labels: type and name, or the name alone. */
  readonly labels: readonly string[];
  /** The steps to the value in the block, without the numbers of lists. */
  readonly argument: readonly string[];
  /** The value as Terraform gets it, but with marks in place of references to tokens. */
  readonly value: string;
  /** These references. */
  readonly references: readonly TokenReference[];
  /** The table or list that has the value or the key. */
  readonly holder: object;
  /** The key there. */
  readonly step: string;
  /** Whether the references are in the key. */
  readonly isKey: boolean;
}

/** A use of a token. */
export interface Use {
  readonly place: Place;
  readonly token: TokenRecord;
  /** Of the token's block; undefined for the block as a whole. */
  readonly attribute: string | undefined;
  /** Whether a local value carries the token there, or an object that contains it. */
  readonly viaLocal: boolean;
}

/** How many labels a block has; none for all others. */
const LABELS: Readonly<Record<string, number>> = {
  ...{ resource: 2, data: 2, ephemeral: 2 },
  ...{ module: 1, output: 1, provider: 1, variable: 1, check: 1 },
};

/**
 * All places of a configuration.
 *
 * @param stack stands for the construct where the configuration does not name one
 */
export function placesIn(
  configuration: Table,
  marks: MarkingResolver,
  stack: IConstruct,
): readonly Place[] {
  const places: Place[] = [];
  const path: string[] = [];
  const found = (user: IConstruct, value: string, holder: object, step: string, isKey = false) => {
    const references = marks.markedIn(value);
    const at = isKey ? [...path] : [...path, step];
    places.push({ user, path: at, ...structureOf(at), value, references, holder, step, isKey });
  };
  const visit = (part: Part, holder: object, step: string) => {
    if (typeof part === "string" || part instanceof Leaf) {
      const text = typeof part === "string" ? part : part.value;
      if (marks.areIn(text) || text.includes("local."))
        found(part instanceof Leaf ? part.user : stack, text, holder, step);
      return;
    }
    if (typeof part !== "object" || part === null) return;
    path.push(step);
    for (const [name, inner] of Object.entries<Part>(part)) {
      if (marks.areIn(name)) found(firstLeaf(inner)?.user ?? stack, name, part, name, true);
      visit(inner, part, name);
    }
    path.pop();
  };
  for (const [name, part] of Object.entries(configuration)) visit(part, configuration, name);
  return places;
}

/** Puts the addresses of tokens in place of their marks. */
export function unmark(places: readonly Place[], marks: MarkingResolver): void {
  for (const { holder, step, value, isKey } of places)
    if (!isKey) Reflect.set(holder, step, marks.unmarked(value));
  // After their values, and in their order: of keys with the same address, the last one counts.
  for (const { holder, step, isKey } of places) {
    if (!isKey) continue;
    Reflect.set(holder, marks.unmarked(step), Reflect.get(holder, step));
    Reflect.deleteProperty(holder, step);
  }
}

function structureOf(path: readonly string[]): Pick<Place, "block" | "labels" | "argument"> {
  // Blocks may be in lists, and overrides address items by number.
  const [block = "", ...rest] = path.filter((step) => !/^\d+$/.test(step));
  const count = LABELS[block] ?? 0;
  const argument = rest.slice(count);
  if (block === "check" && argument[0] === "data") return structureOf(argument);
  return { block, labels: rest.slice(0, count), argument };
}

/** The first value in a part: the construct that gives it is named for the part. */
export function firstLeaf(part: Part): Leaf | undefined {
  if (part instanceof Leaf) return part;
  if (typeof part !== "object" || part === null) return undefined;
  for (const each of Object.values(part)) {
    const leaf = firstLeaf(each);
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}

/** All uses of tokens; among them, the places to which local values carry one. */
export function usesIn(places: readonly Place[]): readonly Use[] {
  const uses: Use[] = [];
  const readers = new Map<string, Place[]>();
  for (const place of places) {
    for (const { record: token, attribute } of place.references)
      uses.push({ place, token, attribute, viaLocal: false });
    if (!place.value.includes("local.")) continue;
    for (const [, local = ""] of place.value.matchAll(/\blocal\.([\w-]+)/g))
      listIn(readers, local).push(place);
  }
  const followed = new Set<string>();
  // Grows while it is read.
  for (const { token, attribute, place } of uses) {
    const [local] = place.argument;
    if (place.block !== "locals" || local === undefined) continue;
    const key = `${local} ${token.address(attribute)}`;
    if (followed.has(key)) continue;
    followed.add(key);
    for (const reader of listIn(readers, local))
      uses.push({ place: reader, token, attribute, viaLocal: true });
  }
  return uses;
}

/** The list of a key, which is made if necessary. */
export function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
