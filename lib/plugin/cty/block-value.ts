import { decode, ExtData, encode } from "@msgpack/msgpack";
import { CtyError, type CtyObject, type CtyType, type CtyValue, UNKNOWN } from "./value";

/** The attributes of a block's schema, by name. */
export type Attributes = Readonly<Record<string, { readonly type: CtyType }>>;

/**
 * Terraform encodes unknown values as extension 0, or 12 with partial knowledge of the value: both
 * are unknown here.
 */
const extensionCodec = {
  tryToEncode: (value: unknown) => (value === UNKNOWN ? new ExtData(0, new Uint8Array([0])) : null),
  decode: () => UNKNOWN,
};

/**
 * A block from the msgpack of a DynamicValue; null if it does not exist yet, or no longer. Throws
 * {@link CtyError} if it does not match the schema.
 */
export function decodeMsgpack(bytes: Uint8Array, attributes: Attributes): CtyObject | null {
  let raw: unknown;
  try {
    const limit = bytes.length;
    raw = decode(bytes, {
      extensionCodec,
      // No collection has more elements than the message has bytes: a forged length allocates
      // nothing.
      maxArrayLength: limit,
      maxMapLength: limit,
    });
  } catch {
    // The decoder's own message may quote its input.
    throw new CtyError("the value is not well-formed msgpack");
  }
  return raw === null ? null : toBlock(raw, attributes);
}

/**
 * A block, or null, as the msgpack of a DynamicValue. Missing attributes are null. Throws {@link
 * CtyError} if it does not match the schema.
 */
export function encodeMsgpack(block: CtyObject | null, attributes: Attributes): Uint8Array {
  const raw = block && toBlock(block, attributes);
  return encode(raw, { extensionCodec });
}

/**
 * A block from the JSON of a stored state. Attributes that the state lacks are null, and additional
 * ones are dropped: a schema can get a new attribute, or lose one. Throws {@link CtyError}.
 */
export function decodeStoredBlock(json: Uint8Array, attributes: Attributes): CtyObject {
  let raw: unknown;
  try {
    raw = JSON.parse(Buffer.from(json).toString("utf8"));
  } catch {
    // The parser's own message quotes its input.
    throw new CtyError("the state is not well-formed JSON");
  }
  return toBlock(raw, attributes, true);
}

function toBlock(raw: unknown, attributes: Attributes, isStored = false): CtyObject {
  if (!isObject(raw)) throw mismatch("object", raw, []);
  const given = new Map(Object.entries(raw));
  for (const name of given.keys()) {
    if (!isStored && !Object.hasOwn(attributes, name))
      throw new CtyError(`there is no attribute ${JSON.stringify(name.slice(0, 80))}`);
  }
  const block: Record<string, CtyValue> = Object.create(null);
  for (const [name, { type }] of Object.entries(attributes))
    block[name] = toValue(given.get(name), type, [name]);
  return block;
}

function toValue(raw: unknown, type: CtyType, path: CtyError["path"]): CtyValue {
  if (raw === UNKNOWN) return UNKNOWN;
  if (raw === null || raw === undefined) return null;
  if (type === "string" && typeof raw === "string") return wellFormed(raw, path);
  // All numbers of the schemas are counts. Terraform sends others, such as 0.1, by their digits.
  if (type === "number" && Number.isSafeInteger(raw)) return Number(raw);
  if (type === "bool" && typeof raw === "boolean") return raw;
  const [kind, of] = typeof type === "string" ? [type, type] : type;
  if ((kind === "list" || kind === "set") && Array.isArray(raw))
    return raw.map((item, index) => toValue(item, of, [...path, index]));
  if (kind === "map" && isObject(raw)) {
    const map: Record<string, CtyValue> = Object.create(null);
    for (const [name, item] of Object.entries(raw)) {
      const key = wellFormed(name, path);
      map[key] = toValue(item, of, [...path, key]);
    }
    return map;
  }
  throw mismatch(kind === "number" ? "whole number" : kind, raw, path);
}

/**
 * Half a surrogate pair has no UTF-8 form; Terraform would refuse its bytes without naming the
 * place.
 */
function wellFormed(text: string, path: CtyError["path"]): string {
  if (/\p{Surrogate}/u.test(text)) throw new CtyError("the text is not well-formed Unicode", path);
  return text;
}

function isObject(raw: unknown): raw is object {
  return (
    typeof raw === "object" && raw !== null && !Array.isArray(raw) && !(raw instanceof Uint8Array)
  );
}

function mismatch(expected: string, raw: unknown, path: CtyError["path"]): CtyError {
  return new CtyError(`${expected} expected, not ${shapeOf(raw)}`, path);
}

function shapeOf(raw: unknown): string {
  if (raw === null) return "null";
  if (Array.isArray(raw)) return "a list";
  if (raw instanceof Uint8Array) return "bytes";
  if (typeof raw === "object") return "an object";
  return typeof raw === "boolean" ? "a bool" : `a ${typeof raw}`;
}
