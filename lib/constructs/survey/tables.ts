import { isTable, type TerraformJson } from "../../hcl/json";

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
