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
 * The decoder refuses the key `__proto__`, which is an ordinary key of a map. So every key is read
 * with a prefix, which is then removed.
 */
const MARK = "$";
const keyDecoder = {
  canBeCached: () => true,
  decode: (bytes: Uint8Array, offset: number, length: number) =>
    MARK + Buffer.from(bytes.buffer, bytes.byteOffset + offset, length).toString("utf8"),
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
      keyDecoder,
      // No collection has more elements than the message has bytes: a forged length allocates
      // nothing.
      maxArrayLength: limit,
      maxMapLength: limit,
    });
  } catch {
    // The decoder's own message may quote its input.
    throw new CtyError("the value is not well-formed msgpack");
  }
  return raw === null ? null : toBlock(raw, attributes, "received");
}

/**
 * A block, or null, as the msgpack of a DynamicValue. Missing attributes are null. Throws {@link
 * CtyError} if it does not match the schema.
 */
export function encodeMsgpack(block: CtyObject | null, attributes: Attributes): Uint8Array {
  const raw = block && toBlock(block, attributes, "sent");
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
  return toBlock(raw, attributes, "stored");
}

/** Where a value comes from or goes to: its keys and numbers look different. */
type Form = "received" | "stored" | "sent";

function toBlock(raw: unknown, attributes: Attributes, form: Form): CtyObject {
  if (!isObject(raw)) throw mismatch("object", raw, []);
  const given = new Map(entriesOf(raw, form));
  for (const name of given.keys()) {
    if (form !== "stored" && !Object.hasOwn(attributes, name))
      throw new CtyError(`there is no attribute ${JSON.stringify(name.slice(0, 80))}`);
  }
  const block: Record<string, CtyValue> = Object.create(null);
  for (const [name, { type }] of Object.entries(attributes))
    block[name] = toValue(given.get(name), type, [name], form);
  return block;
}

function toValue(raw: unknown, type: CtyType, path: CtyError["path"], form: Form): CtyValue {
  if (raw === UNKNOWN) return UNKNOWN;
  if (raw === null || raw === undefined) return null;
  if (type === "string" && typeof raw === "string") return wellFormed(raw, path);
  if (type === "number" && isNumber(raw, form)) return toNumber(raw, path, form);
  if (type === "bool" && typeof raw === "boolean") return raw;
  const [kind, of] = typeof type === "string" ? [type, type] : type;
  if ((kind === "list" || kind === "set") && Array.isArray(raw))
    return raw.map((item, index) => toValue(item, of, [...path, index], form));
  if (kind === "map" && isObject(raw)) {
    const map: Record<string, CtyValue> = Object.create(null);
    for (const [name, item] of entriesOf(raw, form)) {
      const key = wellFormed(name, path);
      map[key] = toValue(item, of, [...path, key], form);
    }
    return map;
  }
  throw mismatch(kind, raw, path);
}

function entriesOf(raw: object, form: Form): [key: string, value: unknown][] {
  const mark = form === "received" ? MARK.length : 0;
  return Object.entries(raw).map(([key, value]) => [key.slice(mark), value]);
}

/** Terraform sends a number that is not exactly a float64, such as 0.1, by its decimal digits. */
function isNumber(raw: unknown, form: Form): raw is number | string {
  if (typeof raw === "string") return form === "received" && DECIMAL.test(raw);
  return typeof raw === "number";
}

const DECIMAL = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;

/** A number that is not rounded by this; what Terraform sends by its digits is sent by them. */
function toNumber(raw: number | string, path: CtyError["path"], form: Form): number | string {
  const value = Number(raw);
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isExact || digitsOf(value) !== digitsOf(raw))
    throw new CtyError("a number of at most 15 digits expected", path);
  return form === "sent" && !Number.isInteger(value) ? String(value) : value;
}

const digitsOf = (decimal: number | string): string =>
  String(decimal)
    .replaceAll(/e.*|[-.]/g, "")
    .replace(/^0+/, "");

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
