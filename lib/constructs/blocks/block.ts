import { Tokenization } from "cdktf";
import { PROVIDER_TYPE } from "../../provider/names";
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

/** What a name must look like in Terraform. */
export const TERRAFORM_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A provider configuration as `provider` takes it in Terraform: `iam.identity`. */
export function providerConfiguration(alias: string): string {
  return `${PROVIDER_TYPE}.${alias}`;
}

/**
 * The provider alias for an identity service's id, or for the unique id of its path: what cdktf
 * keeps of an id, with a `_` in front where Terraform wants a letter.
 */
export function aliasFrom(id: string): string {
  const kept = id.replace(/[^A-Za-z0-9_-]/g, "");
  return /^[A-Za-z_]/.test(kept) || kept === "" ? kept : `_${kept}`;
}

/** A text as Terraform takes it literally: nothing in it is a template. */
export function escapeTemplate(text: string): string {
  return text.replace(/[$%]\{/g, (opening) => `${opening[0]}${opening}`);
}

/** The same; CDK tokens in it stay what they are. */
export function literally(text: string): string {
  return text.replace(/[$%]\{(?!TfToken\[)/g, (opening) => `${opening[0]}${opening}`);
}
