import { decodeMsgpack, decodeStoredBlock, encodeMsgpack } from "../cty/block-value";
import { CtyError, type CtyObject } from "../cty/value";
import type { Init, Message } from "../protocol/message";
import type { DynamicValue } from "../protocol/tfplugin6";
import type { BlockSchema } from "../provider";

type WireValue = Message<(typeof DynamicValue)["fields"]>;

/**
 * A block's configuration, with UNKNOWN for unknown values. Throws {@link CtyError} if it does not
 * match the block.
 */
export function fromWireConfig(value: WireValue | undefined, block: BlockSchema): CtyObject {
  const config = fromWireState(value, block);
  if (config === null) throw new CtyError("a block's configuration expected");
  return config;
}

/** Like {@link fromWireConfig}; null if the block does not exist yet, or no longer. */
export function fromWireState(value: WireValue | undefined, block: BlockSchema): CtyObject | null {
  return value === undefined ? null : decodeMsgpack(value.msgpack, block.attributes);
}

/** Result of a data source's read, or an ephemeral resource's open. Throws {@link CtyError}. */
export function toWireResult(
  value: CtyObject,
  block: BlockSchema,
): Init<(typeof DynamicValue)["fields"]> {
  return { msgpack: encodeMsgpack(value, block.attributes) };
}

/**
 * A planned or a new state; null if it is destroyed. Write-only attributes are left out: they must
 * not get into plan or state.
 */
export function toWireState(
  value: CtyObject | null,
  block: BlockSchema,
): Init<(typeof DynamicValue)["fields"]> {
  if (value === null) return { msgpack: encodeMsgpack(null, block.attributes) };
  const kept = Object.entries(value).filter(([name]) => block.attributes[name]?.writeOnly !== true);
  return toWireResult(Object.fromEntries(kept), block);
}

/** A stored state, of this version of the schema or an older one. Throws {@link CtyError}. */
export function fromStoredState(
  json: Uint8Array | undefined,
  version: number,
  block: BlockSchema,
): CtyObject {
  const present = block.version ?? 0;
  if (version < 0 || version > present)
    throw new CtyError(
      `the state has schema version ${version} of the resource, but this provider knows version ${present}`,
    );
  return decodeStoredBlock(json ?? new Uint8Array(0), block.attributes);
}
