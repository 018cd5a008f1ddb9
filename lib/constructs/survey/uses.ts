import type { TerraformStack } from "cdktf";
import { TerraformStack as Stack, TerraformElement } from "cdktf";
import type { IConstruct } from "constructs";
import type { TokenRecord } from "../declarations/registry";
import { overridesOf } from "../framework/internals";
import { withBlockContext } from "./block-context";
import { type Leaf, LeafReader } from "./leaves";
import { type Place, placeAt } from "./place";

/** One place at which a token is used. */
export interface Use {
  readonly record: TokenRecord;
  /** Of the token's object; undefined for the object as a whole. */
  readonly attribute: string | undefined;
  readonly user: IConstruct;
  readonly place: Place;
  /** The local value that carries the token there. */
  readonly local?: string;
  /**
   * Whether the expression turns it into null: it is ephemeral, and occurs only in
   * `ephemeralasnull(…)`.
   */
  readonly nulled: boolean;
}

/** Whether the used value is or contains the token: its object, the token, or the headers. */
export function containsToken({ attribute }: Pick<Use, "attribute">): boolean {
  return attribute === undefined || attribute === "token" || attribute === "headers";
}

/** Finds uses in strings: our marked references, and addresses that somebody wrote by hand. */
type Finder = (text: string) => Pick<Use, "record" | "attribute" | "nulled">[];

/**
 * All uses of tokens in a stack, wherever they come from: arguments, functions, lazy values,
 * aspects, overrides, addresses written by hand; and the uses of local values that contain a token.
 *
 * @param elements of the stack
 * @param own the tokens of the stack, whose addresses may be written by hand there
 */
export function usesIn(
  stack: TerraformStack,
  elements: readonly TerraformElement[],
  own: readonly TokenRecord[],
): Use[] {
  const reader = new LeafReader(stack);
  const find = finderOf(reader, own);
  const uses: Use[] = [];
  const viaLocals: { readonly user: IConstruct; readonly leaf: Leaf; readonly place: Place }[] = [];
  const readInto = (user: IConstruct, value: unknown): void => {
    for (const leaf of reader.read(value)) {
      const found = placeAt(leaf.path);
      if (found === undefined) continue;
      const place = withBlockContext(found, leaf, value);
      for (const use of find(leaf.text)) uses.push({ ...use, user, place });
      if (leaf.text.includes("local.")) viaLocals.push({ user, leaf, place });
    }
  };
  for (const element of elements) readInto(element, element.toTerraform() as unknown);
  readInto(stack, overridesOf(stack));
  return [...uses, ...usesThroughLocals(uses, viaLocals)];
}

/** Follows local values, including those that refer to others, until nothing new is found. */
function usesThroughLocals(
  direct: readonly Use[],
  leaves: readonly { readonly user: IConstruct; readonly leaf: Leaf; readonly place: Place }[],
): Use[] {
  const found: Use[] = [];
  const followed = new Set<string>();
  const isCarrier = (use: Use): boolean => use.place.kind === "local" && !use.nulled;
  for (let carriers = direct.filter(isCarrier); carriers.length > 0; ) {
    const fresh = carriers.filter(({ place, record, attribute }) => {
      const key = `${place.block} ${record.address(attribute)} ${record.construct.node.addr}`;
      return !followed.has(key) && followed.add(key);
    });
    const next = fresh.flatMap((carrier) => {
      const name = new RegExp(`(?<![\\w.-])local\\.${escaped(carrier.place.block)}(?![\\w-])`);
      return leaves
        .filter(({ leaf }) => name.test(leaf.text))
        .map(({ user, leaf, place }) => ({
          ...carrier,
          user,
          // A local value may contain more than the token.
          place: { ...place, closedToSensitive: undefined },
          local: carrier.place.block,
          nulled: carrier.record.ephemeral && !name.test(withoutNulled(leaf.text)),
        }));
    });
    found.push(...next);
    carriers = next.filter(isCarrier);
  }
  return found;
}

function finderOf(reader: LeafReader, own: readonly TokenRecord[]): Finder {
  const byAddress = new Map(own.map((record) => [record.address(), record]));
  const findAll = (text: string): Pick<Use, "record" | "attribute">[] => [
    ...reader.markedIn(text).map(({ record, attribute }) => ({ record, attribute })),
    ...[...byAddress].flatMap(([address, record]) => {
      if (!text.includes(address)) return [];
      const written = new RegExp(`(?<![\\w.-])${escaped(address)}(?![\\w-])(?:\\.([a-z_]+))?`, "g");
      return [...text.matchAll(written)].map(([, attribute]) => ({ record, attribute }));
    }),
  ];
  return (text) => {
    const isLeft = ({ record, attribute }: Pick<Use, "record" | "attribute">): boolean =>
      findAll(withoutNulled(text)).some(
        (use) => use.record === record && use.attribute === attribute,
      );
    return findAll(text).map((use) => ({ ...use, nulled: use.record.ephemeral && !isLeft(use) }));
  };
}

/** A string without its calls of `ephemeralasnull`, which turn an ephemeral value into null. */
function withoutNulled(text: string): string {
  const call = /\bephemeralasnull\s*\(/.exec(text);
  if (call === null) return text;
  const inner = call.index + call[0].length;
  let depth = 1;
  let end = inner;
  for (; end < text.length && depth > 0; end++)
    depth += text[end] === "(" ? 1 : text[end] === ")" ? -1 : 0;
  if (depth > 0) return text;
  return `${text.slice(0, call.index)}null${withoutNulled(text.slice(end))}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
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
