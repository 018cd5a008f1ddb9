/**
 * The type of a value in Terraform's type system (cty), in the JSON form that schemas carry.
 *
 * @example ["map", "string"]
 */
export type CtyType =
  | "string"
  | "number"
  | "bool"
  | "dynamic"
  | readonly ["list" | "set" | "map", CtyType]
  | readonly ["object", Readonly<Record<string, CtyType>>]
  | readonly ["tuple", readonly CtyType[]];
