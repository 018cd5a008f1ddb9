import {
  CtyError,
  type CtyObject,
  type CtyValue,
  decodeJson,
  decodeMsgpack,
  encodeMsgpack,
} from "../cty";
import type { DynamicValue, Init } from "../protocol";
import type { BlockSchema } from "../provider";
import { typeOfBlock } from "./wire-schema";

/**
 * A block's configuration, whose unknown values are UNKNOWN. Throws {@link CtyError} when it does
 * not fit the block.
 */
export function fromWireConfig(value: DynamicValue | undefined, block: BlockSchema): CtyObject {
  const config = fromWireState(value, block);
  if (config === null) throw new CtyError("a block's configuration expected");
  return config;
}

/** As {@link fromWireConfig}; null for what is not there yet, or no longer. */
export function fromWireState(
  value: DynamicValue | undefined,
  block: BlockSchema,
): CtyObject | null {
  const decoded = value === undefined ? null : decode(value, block);
  // The type is an object's, so whatever is an object here is one of attributes.
  if (typeof decoded === "object") return decoded as CtyObject | null;
  throw new CtyError("a block expected");
}

/**
 * What a data source read, or an ephemeral resource opened, as the protocol carries it. Throws
 * {@link CtyError}.
 */
export function toWireResult(value: CtyObject, block: BlockSchema): Init<DynamicValue> {
  return { msgpack: encodeMsgpack(value, typeOfBlock(block)) };
}

/**
 * A planned or a new state; null for what is destroyed. Write-only attributes are left out: they
 * never get into plan or state.
 */
export function toWireState(value: CtyObject | null, block: BlockSchema): Init<DynamicValue> {
  if (value === null) return { msgpack: encodeMsgpack(null, typeOfBlock(block)) };
  const kept = Object.entries(value).filter(([name]) => block.attributes[name]?.writeOnly !== true);
  return toWireResult(Object.fromEntries(kept), block);
}

function decode(value: DynamicValue, block: BlockSchema): CtyValue {
  const type = typeOfBlock(block);
  return value.msgpack.length > 0
    ? decodeMsgpack(value.msgpack, type)
    : decodeJson(value.json, type);
}
