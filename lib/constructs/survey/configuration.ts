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

function isTableOfParts(part: Part | undefined): part is Table {
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
  const merge = mergerOf(stack, marks);
  const merged = elements.reduce<Part | undefined>(
    (there, each) => merge(there, cut(each.toTerraform() as Fragment), each),
    Object.create(null),
  );
  return merge(merged, cut(overridesOf(stack)), stack, true) as Table;
}

/**
 * What is at a place, after a value was merged into it; undefined if nothing is.
 *
 * @param isOverride what is undefined in one deletes, and a lazy value replaces
 */
type Merge = (
  there: Part | undefined,
  given: unknown,
  user: IConstruct,
  isOverride?: boolean,
) => Part | undefined;

function mergerOf(scope: TerraformStack, resolver: MarkingResolver): Merge {
  const resolved = (given: unknown): unknown => {
    const source = given instanceof SecretExpression ? given.expression : given;
    return isEncoded(source) ? Tokenization.resolve(source, { scope, resolver }) : source;
  };
  const merge: Merge = (there, given, user, isOverride) => {
    const value = resolved(given);
    // cdktf resolves an element's part first, which leaves out what is undefined.
    if (value === undefined) return isOverride ? undefined : there;
    if (isOverride && value !== given) return merge(undefined, value, user);
    if (Array.isArray(value)) {
      const list = value.map((each) => merge(undefined, each, user)).filter(isGiven);
      return Array.isArray(there) ? [...there, ...list] : list;
    }
    if (typeof value === "string") return new Leaf(user, value);
    if (!isTable(value)) return value as Part;
    // Into a list as well: an override may name an item by its number.
    const table: { [name: string]: Part } =
      typeof there === "object" && there !== null && !(there instanceof Leaf)
        ? (there as object)
        : Object.create(null);
    for (const [key, inner] of Object.entries(value)) {
      const name = String(resolved(key));
      const part = merge(table[name], inner, user, isOverride);
      if (part !== undefined) table[name] = part;
      else delete table[name];
    }
    return table;
  };
  return merge;
}

const isGiven = (part: Part | undefined): part is Part => part !== undefined;

/** Whether a value is a CDK token, also one of a list or of a map. */
const isEncoded = (value: unknown): boolean =>
  // cdktf takes long for a string.
  typeof value === "string" ? value.includes(ENCODED_TOKEN) : Token.isUnresolved(value);
