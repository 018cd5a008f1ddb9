import { CtyError } from "./cty-error";
import type { CtyType } from "./type";

/**
 * Deeper types than any configuration has; a bound keeps a hand-made one from exhausting the stack.
 */
const MAX_DEPTH = 64;

/** A type from its JSON form, as it stands beside a value whose type is dynamic. */
export function parseCtyType(json: unknown, depth = 0): CtyType {
  if (depth > MAX_DEPTH) throw new CtyError("the type is nested too deeply");
  if (json === "string" || json === "number" || json === "bool" || json === "dynamic") return json;
  if (Array.isArray(json)) {
    const [kind, argument]: readonly unknown[] = json;
    if (kind === "list" || kind === "set" || kind === "map")
      return [kind, parseCtyType(argument, depth + 1)];
    if (kind === "tuple" && Array.isArray(argument))
      return [kind, argument.map((item) => parseCtyType(item, depth + 1))];
    if (
      kind === "object" &&
      typeof argument === "object" &&
      argument !== null &&
      !Array.isArray(argument)
    ) {
      const attributes: Record<string, CtyType> = Object.create(null);
      for (const [name, type] of Object.entries(argument))
        attributes[name] = parseCtyType(type, depth + 1);
      return [kind, attributes];
    }
  }
  throw new CtyError("the type is not one of Terraform's");
}

/**
 * The type that a value would have had on its own: what is written beside a value whose type is
 * dynamic.
 */
export function describeType(type: CtyType): string {
  return typeof type === "string" ? type : type[0];
}
