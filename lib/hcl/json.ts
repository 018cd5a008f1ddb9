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
 * The tables at a path, such as `variable` and `password`. In Terraform's JSON, each of its steps
 * may be a list.
 */
export function tablesAt(part: unknown, ...path: readonly string[]): readonly TerraformJson[] {
  if (Array.isArray(part)) return part.flatMap((each) => tablesAt(each, ...path));
  if (!isTable(part)) return [];
  const [name, ...rest] = path;
  return name === undefined ? [part] : tablesAt(part[name], ...rest);
}
