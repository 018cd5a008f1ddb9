import type { TerraformStack } from "cdktf";
import { TerraformStack as Stack, TerraformElement, Token, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import type { TokenRecord } from "../declarations/registry";
import { MarkingResolver } from "../declarations/token-reference";
import { ENCODED_TOKEN, type Fragment, overridesOf } from "../framework/internals";

/** A part of a stack's configuration, and the construct that gives it. */
export interface Part {
  readonly user: IConstruct;
  readonly fragment: Fragment;
}

/** The place of a use of a token. */
export interface Use {
  readonly token: TokenRecord;
  /** Of the token's block; undefined for the block as a whole. */
  readonly attribute: string | undefined;
  readonly user: IConstruct;
  /** From the top of `cdk.tf.json`: `output.url.value`. */
  readonly path: string;
  /** The string that contains the reference. */
  readonly text: string;
  /** Whether a local value carries the token there, or an object that contains it. */
  readonly viaLocal: boolean;
}

/** The elements of a stack, without those of stacks inside it. */
export function elementsOf(stack: TerraformStack): TerraformElement[] {
  const elements: TerraformElement[] = [];
  const visit = (node: IConstruct): void => {
    if (TerraformElement.isTerraformElement(node)) elements.push(node);
    for (const child of node.node.children) if (!Stack.isStack(child)) visit(child);
  };
  visit(stack);
  return elements;
}

/** All that becomes a stack's configuration: cdktf merges these, the overrides last. */
export function partsOf(stack: TerraformStack): Part[] {
  return [
    ...elementsOf(stack).map((user) => ({ user, fragment: user.toTerraform() as Fragment })),
    { user: stack, fragment: overridesOf(stack) },
  ];
}

/**
 * All references to tokens in a stack, wherever they come from: arguments, functions, lazy values,
 * aspects, overrides; and those to local values that lead to one.
 */
export function usesIn(stack: TerraformStack, parts: readonly Part[]): readonly Use[] {
  const resolver = new MarkingResolver();
  const uses: Use[] = [];
  const ofLocals = new Map<string, Pick<Use, "user" | "path" | "text">[]>();
  for (const { user, fragment } of parts)
    for (const { path: names, text } of textsIn(fragment, [], stack, resolver)) {
      const path = names.join(".");
      for (const { record: token, attribute } of resolver.markedIn(text))
        uses.push({ token, attribute, user, path, text, viaLocal: false });
      for (const [, local = ""] of text.matchAll(/\blocal\.([\w-]+)/g))
        placesOf(ofLocals, local).push({ user, path, text });
    }
  const followed = new Set<string>();
  // Grows while it is read.
  for (const { token, attribute, path } of uses) {
    const [, local] = /^locals\.([\w-]+)/.exec(path) ?? [];
    const key = `${local} ${token.address(attribute)}`;
    if (local === undefined || followed.has(key)) continue;
    followed.add(key);
    for (const place of ofLocals.get(local) ?? [])
      uses.push({ token, attribute, ...place, viaLocal: true });
  }
  return uses;
}

function placesOf<T>(places: Map<string, T[]>, name: string): T[] {
  const known = places.get(name) ?? [];
  places.set(name, known);
  return known;
}

/**
 * The strings that CDK tokens resolve to. Only they are resolved: nearly all of a stack consists of
 * other values, and synthesis spends its time on resolving.
 */
function* textsIn(
  value: unknown,
  path: readonly string[],
  scope: IConstruct,
  resolver: MarkingResolver,
): Generator<{ readonly path: readonly string[]; readonly text: string }> {
  if (isEncoded(value)) {
    const resolved: unknown = Tokenization.resolve(value, { scope, resolver, preparing: false });
    yield* plainTextsIn(resolved, path);
  } else if (typeof value === "object" && value !== null && path.length <= DEEPEST) {
    // The strings that make up most of a stack are skipped before a path is built for them.
    for (const [name, inner] of Object.entries(value))
      if (name !== "//" && (typeof inner === "string" ? isEncoded(inner) : inner !== undefined))
        yield* textsIn(inner, [...path, name], scope, resolver);
  }
}

/** Deeper than anything that cdktf resolves: a cycle, which cdktf refuses. */
const DEEPEST = 200;

/** Whether a value is a CDK token, or can only be read by resolving it as a whole. */
function isEncoded(value: unknown): boolean {
  if (typeof value === "string") return value.includes(ENCODED_TOKEN);
  if (typeof value !== "object" || value === null) return Token.isUnresolved(value);
  if (Tokenization.isResolvable(value)) return true;
  const names: readonly unknown[] = Array.isArray(value) ? value : Object.keys(value);
  return names.some((name) => typeof name === "string" && name.includes(ENCODED_TOKEN));
}

function* plainTextsIn(value: unknown, path: readonly string[]): ReturnType<typeof textsIn> {
  if (typeof value === "string") yield { path, text: value };
  else
    for (const [name, inner] of Object.entries(value ?? {})) {
      // A key may be an expression.
      yield { path, text: name };
      yield* plainTextsIn(inner, [...path, name]);
    }
}
