/** A configuration in Terraform's JSON. */
export type TerraformJson = { [name: string]: unknown };

export function isTable(value: unknown): value is TerraformJson {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object's own member: `constructor` is not one. Undefined unless the value is a table. */
export function member(value: unknown, name: string): unknown {
  return isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * A table, or the tables of a list: in Terraform's JSON, blocks that may be repeated have either
 * form.
 */
export function tablesIn(value: unknown): readonly TerraformJson[] {
  return (Array.isArray(value) ? value : [value]).filter(isTable);
}
