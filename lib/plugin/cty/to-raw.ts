import { CtyError, type CtyPath, shapeOf } from "./cty-error";
import { toWireNumber } from "./number";
import { describeType } from "./parse-type";
import type { CtyType } from "./type";
import { type CtyValue, Decimal, UNKNOWN } from "./value";

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A value of a type as the plain tree that the msgpack encoder writes. Attributes that an object
 * lacks are null; one that its type lacks is an error. Throws {@link CtyError}.
 */
export function toRaw(value: CtyValue | undefined, type: CtyType, path: CtyPath = []): unknown {
  if (value === null || value === undefined) return null;
  if (value === UNKNOWN) return UNKNOWN;
  if (typeof type === "string")
    return type === "dynamic" ? toDynamic(value, path) : toPrimitive(value, type, path);
  switch (type[0]) {
    case "list":
    case "set":
      return arrayOf(value, type, path).map((item, index) =>
        toRaw(item, type[1], [...path, index]),
      );
    case "tuple": {
      const items = arrayOf(value, type, path);
      if (items.length !== type[1].length)
        throw new CtyError(`${type[1].length} elements expected, not ${items.length}`, path);
      return type[1].map((itemType, index) => toRaw(items[index], itemType, [...path, index]));
    }
    case "map": {
      const result: Record<string, unknown> = Object.create(null);
      for (const [key, item] of entriesOf(value, type, path))
        result[wellFormed(key, path)] = toRaw(item, type[1], [...path, key]);
      return result;
    }
    case "object": {
      const given = new Map(entriesOf(value, type, path));
      for (const name of given.keys()) {
        if (!Object.hasOwn(type[1], name))
          throw new CtyError(`there is no attribute ${JSON.stringify(name)}`, path);
      }
      const result: Record<string, unknown> = Object.create(null);
      for (const [name, attributeType] of Object.entries(type[1]))
        result[name] = toRaw(given.get(name), attributeType, [...path, name]);
      return result;
    }
  }
}

function toPrimitive(value: CtyValue, type: "string" | "number" | "bool", path: CtyPath): unknown {
  if (type === "string" && typeof value === "string") return wellFormed(value, path);
  if (type === "bool" && typeof value === "boolean") return value;
  if (
    type === "number" &&
    (typeof value === "number" || typeof value === "bigint" || value instanceof Decimal)
  ) {
    const number = toWireNumber(value);
    if (number !== undefined) return number;
  }
  throw new CtyError(`${describeType(type)} expected, not ${shapeOf(value)}`, path);
}

/**
 * A value whose type is dynamic carries the type that follows from it: lists are tuples and maps
 * are objects then.
 */
function toDynamic(value: CtyValue, path: CtyPath): unknown {
  const type = impliedType(value);
  return [new TextEncoder().encode(JSON.stringify(type)), toRaw(value, type, path)];
}

function impliedType(value: CtyValue): CtyType {
  if (value === null || typeof value === "symbol") return "dynamic";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number" || typeof value === "bigint" || value instanceof Decimal)
    return "number";
  if (isArray(value)) return ["tuple", value.map(impliedType)];
  const attributes: Record<string, CtyType> = Object.create(null);
  for (const [name, item] of Object.entries(value)) attributes[name] = impliedType(item);
  return ["object", attributes];
}

function arrayOf(value: CtyValue, type: CtyType, path: CtyPath): readonly CtyValue[] {
  if (isArray(value)) return value;
  throw new CtyError(`${describeType(type)} expected, not ${shapeOf(value)}`, path);
}

function entriesOf(value: CtyValue, type: CtyType, path: CtyPath): [string, CtyValue][] {
  if (typeof value === "object" && value !== null && !isArray(value) && !(value instanceof Decimal))
    return Object.entries(value);
  throw new CtyError(`${describeType(type)} expected, not ${shapeOf(value)}`, path);
}

function isArray(value: CtyValue): value is readonly CtyValue[] {
  return Array.isArray(value);
}

/**
 * Half a surrogate pair has no UTF-8; it would reach Terraform as bytes that it refuses without
 * saying where.
 */
function wellFormed(text: string, path: CtyPath): string {
  if (LONE_SURROGATE.test(text)) throw new CtyError("the text is not well-formed Unicode", path);
  return text;
}
