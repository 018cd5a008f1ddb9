import type { TerraformStack } from "cdktf";
import { type TerraformElement, Token, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { SecretExpression } from "../credentials/secret-arguments";
import type { TokenRecord } from "../declarations/registry";
import { MarkingResolver, type TokenReference } from "../declarations/token-reference";
import { ENCODED_TOKEN, type Fragment, overridesOf } from "../framework/internals";

/** A value in a stack's configuration. */
export interface Place {
  /** The construct that gives it. */
  readonly user: IConstruct;
  /** From the top of `cdk.tf.json`: `output.url.value`. */
  readonly path: string;
  /** The value as Terraform gets it, but with marks in place of references to tokens. */
  readonly value: unknown;
  /** These references. */
  readonly references: readonly TokenReference[];
}

/** A use of a token. */
export interface Use extends Place {
  readonly token: TokenRecord;
  /** Of the token's block; undefined for the block as a whole. */
  readonly attribute: string | undefined;
  /** Whether a local value carries the token there, or an object that contains it. */
  readonly viaLocal: boolean;
}

/** The elements of a stack, without those of stacks inside it. */
export function elementsOf(stack: TerraformStack): TerraformElement[] {
  const isIn = (each: Partial<TerraformElement>) => each.cdktfStack === stack;
  return stack.node.findAll().filter((each): each is TerraformElement => isIn(each));
}

/** In these, literals count as well. */
const WHOLE: ReadonlySet<string> = new Set([
  "iam_static_token",
  "locals",
  "provider",
  "terraform",
  "variable",
]);

/**
 * The values that CDK tokens resolve to, wherever they come from (arguments, functions, lazy values,
 * aspects, overrides), and all values in {@link WHOLE} blocks. Nearly all of a stack consists of
 * other values, and synthesis spends its time on resolving: those are skipped.
 */
export function placesIn(
  stack: TerraformStack,
  elements = elementsOf(stack),
  cut = (fragment: Fragment) => fragment,
): readonly Place[] {
  const resolver = new MarkingResolver();
  const places: Place[] = [];
  const visit = (user: IConstruct, given: unknown, path = "", within?: boolean) => {
    const source = given instanceof SecretExpression ? given.expression : given;
    const encoded = isEncoded(source);
    const value: unknown = encoded
      ? Tokenization.resolve(source, { scope: stack, resolver })
      : source;
    if (value === undefined || value === null) return;
    const whole = within || encoded;
    if (whole) {
      const references = typeof value === "string" ? resolver.markedIn(value) : [];
      places.push({ user, path: path.slice(1), value, references });
    }
    if (typeof value !== "object") return;
    for (const [name, inner] of Object.entries(value)) {
      // A key may be an expression.
      visit(user, name, path, whole);
      visit(user, inner, `${path}.${name}`, whole || WHOLE.has(name));
    }
  };
  // cdktf merges these, the overrides last.
  for (const each of elements) visit(each, cut(each.toTerraform() as Fragment));
  visit(stack, cut(overridesOf(stack)));
  return places;
}

/** Whether a value is a CDK token, also one of a list or of a map. */
const isEncoded = (value: unknown): boolean =>
  // cdktf takes long for a string.
  typeof value === "string" ? value.includes(ENCODED_TOKEN) : Token.isUnresolved(value);

/** All uses of tokens; among them, the places to which local values carry one. */
export function usesIn(places: readonly Place[]): readonly Use[] {
  const uses: Use[] = [];
  const readers = new Map<string, Place[]>();
  for (const place of places) {
    for (const { record: token, attribute } of place.references)
      uses.push({ ...place, token, attribute, viaLocal: false });
    if (typeof place.value === "string")
      for (const [, local] of place.value.matchAll(/\blocal\.([\w-]+)/g))
        listIn(readers, `locals.${local}`).push(place);
  }
  const followed = new Set<string>();
  // Grows while it is read.
  for (const { token, attribute, path } of uses) {
    // `locals.NAME`, or what nothing reads.
    const local = path.split(".", 2).join(".");
    const key = `${local} ${token.address(attribute)}`;
    if (followed.has(key)) continue;
    followed.add(key);
    for (const place of listIn(readers, local))
      uses.push({ ...place, token, attribute, viaLocal: true });
  }
  return uses;
}

/** The list of a key, which is made if necessary. */
export function listIn<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
