import { Tokenization } from "cdktf";
import { DestinationSet } from "./destination-set";

/** Arguments of a block by their Terraform names; what is undefined is left out. */
export type BlockArguments = Readonly<Record<string, unknown>>;

/** A fragment of a stack's configuration, as cdktf merges them. */
export type Fragment = Record<string, unknown>;

/**
 * Arguments as cdktf's HCL writer takes them. Without a type it guesses, and writes a text of
 * digits as a number: an account number would lose its leading zeros.
 */
export function hclAttributes(given: BlockArguments): Fragment {
  const attributes = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, { value, isBlock: false, ...hclType(value) }]);
  return Object.fromEntries(attributes);
}

function hclType(value: unknown): { readonly type: string; readonly storageClassType: string } {
  if (Array.isArray(value) || value instanceof DestinationSet)
    return { type: "set", storageClassType: "stringList" };
  if (typeof value === "object" && value !== null && !Tokenization.isResolvable(value))
    return { type: "map", storageClassType: "stringMap" };
  return { type: "simple", storageClassType: typeof value === "boolean" ? "boolean" : "string" };
}
