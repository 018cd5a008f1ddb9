import { type TerraformElement, type TerraformStack, Token, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { isTable } from "../../hcl/json";
import { SecretExpression } from "../credentials/secret-arguments";
import type { MarkingResolver } from "../declarations/token-reference";
import { ENCODED_TOKEN, type Fragment, overridesOf } from "../framework/internals";

/** A string in a stack's configuration, with the construct that gives it. */
export class Leaf {
  /** @param value as Terraform gets it, but with marks in place of references to tokens */
  constructor(
    readonly user: IConstruct,
    readonly value: string,
  ) {}
}

/**
 * A part of a configuration: of a value that is none of the others, nobody asks who gave it. A key
 * may contain marks as well.
 */
export type Part = Leaf | string | number | boolean | null | readonly Part[] | Table;
export interface Table {
  readonly [name: string]: Part;
}

/** The value of a part that is neither a table nor a list. */
export function scalarOf(part: Part | undefined): unknown {
  return part instanceof Leaf ? part.value : part;
}

export function isTableOfParts(part: Part | undefined): part is Table {
  return isTable(part) && !(part instanceof Leaf);
}

/**
 * The tables at a path, such as `variable` and `password`. In Terraform's JSON, each of its steps
 * may be a list.
 */
export function tablesAt(part: Part | undefined, ...path: readonly string[]): readonly Table[] {
  if (Array.isArray(part)) return part.flatMap((each: Part) => tablesAt(each, ...path));
  if (!isTableOfParts(part)) return [];
  const [name, ...rest] = path;
  return name === undefined ? [part] : tablesAt(part[name], ...rest);
}

/** The elements of a stack, without those of stacks inside it. */
export function elementsOf(stack: TerraformStack): TerraformElement[] {
  const isIn = (each: Partial<TerraformElement>) => each.cdktfStack === stack;
  return stack.node.findAll().filter((each): each is TerraformElement => isIn(each));
}

/**
 * The configuration of a stack as synthesis will write it: its elements in their order, and then
 * the stack's overrides, merged as cdktf merges them. A deleted value is gone, and a replaced one
 * is that which replaces it.
 *
 * @param cut the parts of a fragment that are of interest
 */
export function configurationOf(
  stack: TerraformStack,
  marks: MarkingResolver,
  elements: readonly TerraformElement[],
  cut = (fragment: Fragment) => fragment,
): Table {
  const merged: MutableTable = Object.create(null);
  const merge = mergerOf(stack, marks);
  for (const each of elements) merge(merged, cut(each.toTerraform() as Fragment), each);
  merge(merged, cut(overridesOf(stack)), stack, true);
  return merged;
}

/** Puts the addresses of tokens in place of their marks. */
export function unmark(part: unknown, marks: MarkingResolver): void {
  if (typeof part !== "object" || part === null) return;
  const holder = part as Record<string, unknown>;
  for (const name of Object.keys(holder)) {
    const value = holder[name];
    const key = marks.unmarked(name);
    if (key !== name) delete holder[name];
    if (key !== name || typeof value === "string")
      holder[key] = typeof value === "string" ? marks.unmarked(value) : value;
    unmark(value, marks);
  }
}

type MutableTable = { [name: string]: Part };

function mergerOf(scope: TerraformStack, resolver: MarkingResolver) {
  const resolved = (given: unknown): unknown => {
    const source = given instanceof SecretExpression ? given.expression : given;
    return isEncoded(source) ? Tokenization.resolve(source, { scope, resolver }) : source;
  };
  const partOf = (value: unknown, user: IConstruct): Part => {
    if (Array.isArray(value)) return listOf(value, user);
    if (!isTable(value)) return leafOf(value, user);
    const table: MutableTable = Object.create(null);
    merge(table, value, user);
    return table;
  };
  const listOf = (values: readonly unknown[], user: IConstruct): readonly Part[] =>
    values
      .map(resolved)
      .filter((value) => value !== undefined)
      .map((value) => partOf(value, user));
  /** @param isLast of the overrides: what is undefined there, deletes; a lazy value replaces */
  const merge = (target: MutableTable, source: Fragment, user: IConstruct, isLast = false) => {
    for (const [key, given] of Object.entries(source)) {
      const name = String(resolved(key));
      const value = resolved(given);
      const there = target[name];
      if (value === undefined) {
        // cdktf resolves an element's part first, which leaves out what is undefined.
        if (isLast) delete target[name];
      } else if (isLast && value !== given) target[name] = partOf(value, user);
      else if (Array.isArray(value)) {
        const list = listOf(value, user);
        target[name] = Array.isArray(there) ? [...there, ...list] : list;
      } else if (isTable(value)) {
        // Into a list as well: an override may name an item by its number.
        const inner =
          typeof there !== "object" || there === null || there instanceof Leaf
            ? Object.create(null)
            : there;
        target[name] = inner;
        merge(inner as MutableTable, value, user, isLast);
      } else target[name] = leafOf(value, user);
    }
  };
  return merge;
}

const leafOf = (value: unknown, user: IConstruct): Part =>
  typeof value === "string" ? new Leaf(user, value) : (value as Part);

/** Whether a value is a CDK token, also one of a list or of a map. */
const isEncoded = (value: unknown): boolean =>
  // cdktf takes long for a string.
  typeof value === "string" ? value.includes(ENCODED_TOKEN) : Token.isUnresolved(value);
