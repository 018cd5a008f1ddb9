import { Tokenization } from "cdktf";
import { PROVIDER_TYPE } from "../../provider/names";
import {
  type Fragment,
  type HclType,
  hclAttribute,
  TEMPLATE_OPENINGS,
} from "../framework/internals";

/** Arguments of a block by their Terraform names; undefined ones are left out. */
export type BlockArguments = Readonly<Record<string, unknown>>;

/** Arguments for cdktf's HCL writer. */
export function hclAttributes(given: BlockArguments): Fragment {
  const attributes = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, hclAttribute(value, hclType(value))]);
  return Object.fromEntries(attributes);
}

function hclType(value: unknown): HclType {
  if (Array.isArray(value)) return "list";
  if (typeof value === "object" && value !== null && !Tokenization.isResolvable(value))
    return "map";
  return typeof value === "boolean" ? "boolean" : "string";
}

/** Form of a name in Terraform. */
export const TERRAFORM_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A provider configuration as `provider` takes it in Terraform: `iam.identity`. */
export function providerConfiguration(alias: string): string {
  return `${PROVIDER_TYPE}.${alias}`;
}

/**
 * The provider alias for an identity service's id, or for the unique id of its path: the characters
 * that cdktf keeps, after a `_` if Terraform requires a letter.
 */
export function aliasFrom(id: string): string {
  const kept = id.replace(/[^A-Za-z0-9_-]/g, "");
  return /^[A-Za-z_]/.test(kept) || kept === "" ? kept : `_${kept}`;
}

/** A string that Terraform takes literally: nothing in it is a template. */
export function escapeTemplate(text: string): string {
  return text.replace(/[$%]\{/g, (opening) => `${opening[0]}${opening}`);
}

/** The same, but CDK tokens in it stay. */
export function literally(text: string): string {
  return text.replace(TEMPLATE_OPENINGS, (opening) => `${opening[0]}${opening}`);
}
