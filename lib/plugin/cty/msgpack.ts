import { CtyError } from "./cty-error";
import { fromRaw, type RawForm } from "./from-raw";
import { toRaw } from "./to-raw";
import type { CtyType } from "./type";
import { type CtyValue, UNKNOWN } from "./value";

/**
 * Loaded when the first value comes, since a provider says who it is, and what its schema is,
 * without one.
 */
export function loadMsgpack(): typeof import("@msgpack/msgpack") {
  return require("@msgpack/msgpack") as typeof import("@msgpack/msgpack");
}

/**
 * Terraform writes unknown as extension 0, or 12 with what it knows of the value all the same: both
 * are unknown to us.
 */
const extensionCodec = {
  tryToEncode: (value: unknown) =>
    value === UNKNOWN ? new (loadMsgpack().ExtData)(0, new Uint8Array([0])) : null,
  decode: () => UNKNOWN,
};

/**
 * The decoder refuses the key `__proto__`, which is an ordinary key of a map. So every key is read
 * with a mark in front of it, which `entries` takes off again.
 */
const MARK = "$";
const keyDecoder = {
  canBeCached: () => true,
  decode: (bytes: Uint8Array, offset: number, length: number) =>
    MARK + Buffer.from(bytes.buffer, bytes.byteOffset + offset, length).toString("utf8"),
};

const form: RawForm = {
  entries: (raw) =>
    typeof raw === "object" && raw !== null && !Array.isArray(raw) && !(raw instanceof Uint8Array)
      ? Object.entries(raw).map(([key, value]) => [key.slice(MARK.length), value] as const)
      : undefined,
  dynamic: (raw) => {
    if (!Array.isArray(raw) || raw.length !== 2) return undefined;
    const [type, value]: readonly unknown[] = raw;
    return type instanceof Uint8Array || typeof type === "string"
      ? { type: parseJson(type), value }
      : undefined;
  },
};

/**
 * A value from the msgpack of a DynamicValue. Throws {@link CtyError} when it has another shape
 * than its type.
 */
export function decodeMsgpack(bytes: Uint8Array, type: CtyType): CtyValue {
  let raw: unknown;
  try {
    const limit = bytes.length;
    raw = loadMsgpack().decode(bytes, {
      extensionCodec,
      keyDecoder,
      useBigInt64: true,
      // No collection has more elements than the message has bytes: a forged length allocates
      // nothing.
      maxArrayLength: limit,
      maxMapLength: limit,
    });
  } catch {
    // The decoder's own message may quote what it read.
    throw new CtyError("the value is not well-formed msgpack");
  }
  return fromRaw(raw, type, form);
}

/**
 * A value as the msgpack of a DynamicValue. Throws {@link CtyError} when it has another shape than
 * its type.
 */
export function encodeMsgpack(value: CtyValue, type: CtyType): Uint8Array {
  return loadMsgpack().encode(toRaw(value, type), {
    extensionCodec,
    useBigInt64: true,
    maxDepth: 256,
  });
}

function parseJson(text: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
  } catch {
    throw new CtyError("the type of a value is not well-formed JSON");
  }
}
