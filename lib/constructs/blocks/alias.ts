import { PROVIDER_TYPE } from "../../provider/names";

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
