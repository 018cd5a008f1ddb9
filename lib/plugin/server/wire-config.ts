import { CtyError, type CtyObject, decodeJson, decodeMsgpack, encodeMsgpack } from "../cty";
import type { DynamicValue, Init } from "../protocol";
import type { BlockSchema } from "../provider";
import { typeOfBlock } from "./wire-schema";

/** A block's configuration, whose unknown values are UNKNOWN. Throws {@link CtyError} when it does not fit the block. */
export function fromWireConfig(value: DynamicValue | undefined, block: BlockSchema): CtyObject {
  const type = typeOfBlock(block);
  const decoded =
    value === undefined ? null : value.msgpack.length > 0 ? decodeMsgpack(value.msgpack, type) : decodeJson(value.json, type);
  // The type is an object's, so whatever is an object here is one of attributes.
  if (typeof decoded === "object" && decoded !== null) return decoded as CtyObject;
  throw new CtyError("a block's configuration expected");
}

/** What a data source read, or an ephemeral resource opened, as the protocol carries it. Throws {@link CtyError}. */
export function toWireResult(value: CtyObject, block: BlockSchema): Init<DynamicValue> {
  return { msgpack: encodeMsgpack(value, typeOfBlock(block)) };
}
