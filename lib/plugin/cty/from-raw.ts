import { CtyError, type CtyPath, shapeOf } from "./cty-error";
import { fromDouble, fromInteger, fromNumberText } from "./number";
import { describeType, parseCtyType } from "./parse-type";
import type { CtyType } from "./type";
import { type CtyObject, type CtyValue, UNKNOWN } from "./value";

/** What msgpack and JSON do differently once their bytes are read. */
export interface RawForm {
  /** The entries of a map, or undefined when the raw value is none. */
  entries(raw: unknown): readonly (readonly [string, unknown])[] | undefined;
  /**
   * Type (as JSON) and raw value of a value whose type is dynamic, or undefined when it is none.
   */
  dynamic(raw: unknown): { readonly type: unknown; readonly value: unknown } | undefined;
}

/** A raw value as a value of its type. Throws {@link CtyError} where the shape is another. */
export function fromRaw(raw: unknown, type: CtyType, form: RawForm, path: CtyPath = []): CtyValue {
  if (raw === UNKNOWN) return UNKNOWN;
  if (raw === null || raw === undefined) return null;
  if (typeof type === "string")
    return type === "dynamic" ? fromDynamic(raw, form, path) : fromPrimitive(raw, type, path);
  switch (type[0]) {
    case "list":
    case "set":
      return arrayOf(raw, type, path).map((item, index) =>
        fromRaw(item, type[1], form, [...path, index]),
      );
    case "tuple": {
      const items = arrayOf(raw, type, path);
      if (items.length !== type[1].length)
        throw new CtyError(`${type[1].length} elements expected, not ${items.length}`, path);
      return type[1].map((itemType, index) =>
        fromRaw(items[index], itemType, form, [...path, index]),
      );
    }
    case "map": {
      const result: Record<string, CtyValue> = Object.create(null);
      for (const [key, item] of entriesOf(raw, type, form, path))
        result[key] = fromRaw(item, type[1], form, [...path, key]);
      return result;
    }
    case "object":
      return fromObject(raw, type, form, path);
  }
}

function fromObject(
  raw: unknown,
  type: readonly ["object", Readonly<Record<string, CtyType>>],
  form: RawForm,
  path: CtyPath,
): CtyObject {
  const result: Record<string, CtyValue> = Object.create(null);
  const given = new Map(entriesOf(raw, type, form, path));
  for (const name of given.keys()) {
    if (!Object.hasOwn(type[1], name))
      throw new CtyError(`there is no attribute ${JSON.stringify(name)}`, path);
  }
  for (const [name, attributeType] of Object.entries(type[1])) {
    if (!given.has(name))
      throw new CtyError(`the attribute ${JSON.stringify(name)} is missing`, path);
    result[name] = fromRaw(given.get(name), attributeType, form, [...path, name]);
  }
  return result;
}

function fromPrimitive(raw: unknown, type: "string" | "number" | "bool", path: CtyPath): CtyValue {
  if (type === "string" && typeof raw === "string") return raw;
  if (type === "bool" && typeof raw === "boolean") return raw;
  if (type === "number") {
    if (typeof raw === "bigint") return fromInteger(raw);
    if (typeof raw === "number" && !Number.isNaN(raw)) return fromDouble(raw);
    const number = typeof raw === "string" ? fromNumberText(raw) : undefined;
    if (number !== undefined) return number;
  }
  throw mismatch(raw, type, path);
}

function fromDynamic(raw: unknown, form: RawForm, path: CtyPath): CtyValue {
  const pair = form.dynamic(raw);
  if (pair === undefined)
    throw new CtyError(`a type and a value expected, not ${shapeOf(raw)}`, path);
  return fromRaw(pair.value, parseCtyType(pair.type), form, path);
}

function arrayOf(raw: unknown, type: CtyType, path: CtyPath): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  throw mismatch(raw, type, path);
}

function entriesOf(
  raw: unknown,
  type: CtyType,
  form: RawForm,
  path: CtyPath,
): readonly (readonly [string, unknown])[] {
  const entries = form.entries(raw);
  if (entries === undefined) throw mismatch(raw, type, path);
  return entries;
}

function mismatch(raw: unknown, type: CtyType, path: CtyPath): CtyError {
  return new CtyError(`${describeType(type)} expected, not ${shapeOf(raw)}`, path);
}
