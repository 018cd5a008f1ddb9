import { isTable, member, type TerraformJson } from "../../hcl/json";
import type { TokenRecord } from "../declarations/registry";
import { detailsVariable } from "../declarations/variables";

/** A value, or a key, that refers to a token. */
export interface Place {
  /** The path of the construct that gives it, if the block names it. */
  readonly user: string | undefined;
  /** The steps from the top of `cdk.tf.json`: `output`, `url`, `value`; for a key, to its object. */
  readonly path: readonly string[];
  /** The kind of the block: `resource`, or `data` even in a check. */
  readonly block: string;
  /** Its labels: type and name, or the name alone. */
  readonly labels: readonly string[];
  /** The steps to the value in the block, without the numbers of lists. */
  readonly argument: readonly string[];
  readonly value: string;
  /** Whether a language has turned a number that only Terraform knows into a constant. */
  readonly isLost: boolean;
  /** The tokens that it refers to. */
  readonly references: readonly Reference[];
}

/** How many labels a block has; none for all others. */
const LABELS: Readonly<Record<string, number>> = {
  ...{ resource: 2, data: 2, ephemeral: 2 },
  ...{ module: 1, output: 1, provider: 1, variable: 1, check: 1 },
};

/** A reference to a token. */
interface Reference {
  readonly token: TokenRecord;
  /** The attribute of the token's block; undefined for the block as a whole. */
  readonly attribute: string | undefined;
}

/** A use of a token. */
export interface Use extends Reference {
  readonly place: Place;
}

/** Finds the references to tokens in a string. */
export type Finder = (text: string) => readonly Reference[];

/** From the first template to the last one: what is outside of them is text. */
const TEMPLATES = /(?<![$%])[$%]\{.*\}/s;

/**
 * An address of a block of ours, or of a variable, with the attribute. It may have an index: of
 * for_each, or of count.
 */
const ADDRESSES =
  /(?<![\w.-])((?:(?:ephemeral|data)\s*\.\s*)?iam_(?:static_)?token\s*\.\s*[\w-]+|var\s*\.\s*[\w-]+)(?:\s*\[[^\]]*\])?(?:\s*\.\s*(\w+))?/g;

/** Finds these tokens by their addresses: within a stack, each is that of one token. */
export function finderOf(tokens: readonly TokenRecord[]): Finder {
  const known = new Map<string, TokenRecord>();
  for (const token of tokens) {
    known.set(token.address(), token);
    if (token.resolution === "synth")
      known.set(`var.${detailsVariable(token.terraformName())}`, token);
  }
  return (text) => {
    // Most strings are decided by this.
    if (!text.includes("{")) return [];
    const [templates = ""] = TEMPLATES.exec(text) ?? [];
    return [...templates.matchAll(ADDRESSES)].flatMap(([, address = "", attribute]) => {
      const bare = address.replace(/\s/g, "");
      const token = known.get(bare);
      if (token === undefined) return [];
      // The second variable of a token of resolveTokens has only its properties.
      return { token, attribute: token.address() === bare ? attribute : (attribute ?? "details") };
    });
  };
}

/**
 * A number of a CDK token after a language has written it as text, or as an integer: cdktf does not
 * know it again. In Java `"v" + rotation`, in Go `int(*rotation)`.
 */
const LOST =
  /-8\.?10956221259(?:\d*E298|\d{99})|-922337203685477(?:5808|6000)|(?<![\d.])-2147483648(?![\d.])/;

/**
 * What each reference, and each lost number, has in it. Of a block without it nothing is looked at:
 * writing and searching it as text is much faster than a walk.
 */
const TRACE = /iam_|var|-[\d.]{10}/;

/** All places of a configuration. */
export function placesIn(configuration: TerraformJson, referencesIn: Finder): readonly Place[] {
  const places: Place[] = [];
  const path: string[] = [];
  let user: string | undefined;
  const look = (value: string, ...steps: readonly string[]) => {
    const references = referencesIn(value);
    const isLost = LOST.test(value);
    if (references.length > 0 || isLost)
      places.push({ user, ...structureOf([...path, ...steps]), value, isLost, references });
  };
  const visit = (part: unknown, step: string) => {
    if (typeof part === "string" || typeof part === "number") return look(String(part), step);
    if (typeof part !== "object" || part === null) return;
    if (path.length === 2 && !TRACE.test(JSON.stringify(part))) return;
    const before = user;
    user = userOf(part) ?? before;
    path.push(step);
    for (const [name, inner] of Object.entries(part)) {
      look(name);
      visit(inner, name);
    }
    path.pop();
    user = before;
  };
  for (const [name, part] of Object.entries(configuration)) if (name !== "//") visit(part, name);
  return places;
}

/** The path of the construct of a block, which cdktf writes into it. */
function userOf(block: unknown): string | undefined {
  const path = member(member(member(block, "//"), "metadata"), "path");
  return isTable(block) && typeof path === "string" ? path : undefined;
}

function structureOf(
  path: readonly string[],
): Pick<Place, "path" | "block" | "labels" | "argument"> {
  // Blocks may be in lists, and overrides address items by number.
  const [block = "", ...rest] = path.filter((step) => !/^\d+$/.test(step));
  const count = LABELS[block] ?? 0;
  const argument = rest.slice(count);
  if (block === "check" && argument[0] === "data") return { ...structureOf(argument), path };
  return { path, block, labels: rest.slice(0, count), argument };
}

/** All uses of tokens. */
export function usesIn(places: readonly Place[]): readonly Use[] {
  return places.flatMap((place) => place.references.map((each) => ({ place, ...each })));
}

/** The list of a key, which is made if necessary. */
export function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
