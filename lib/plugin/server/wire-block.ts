import { decodeMsgpack, decodeStoredBlock, encodeMsgpack } from "../cty/block-value";
import { CtyError, type CtyObject } from "../cty/value";
import type { Init, Message } from "../protocol/message";
import type { DynamicValue } from "../protocol/tfplugin6";
import type { BlockSchema } from "../provider";

type WireValue = Message<(typeof DynamicValue)["fields"]>;

/**
 * A block's configuration, whose unknown values are UNKNOWN. Throws {@link CtyError} when it does
 * not fit the block.
 */
export function fromWireConfig(value: WireValue | undefined, block: BlockSchema): CtyObject {
  const config = fromWireState(value, block);
  if (config === null) throw new CtyError("a block's configuration expected");
  return config;
}

/** As {@link fromWireConfig}; null for what is not there yet, or no longer. */
export function fromWireState(value: WireValue | undefined, block: BlockSchema): CtyObject | null {
  return value === undefined ? null : decodeMsgpack(value.msgpack, block.attributes);
}

/** What a data source read, or an ephemeral resource opened. Throws {@link CtyError}. */
export function toWireResult(
  value: CtyObject,
  block: BlockSchema,
): Init<(typeof DynamicValue)["fields"]> {
  return { msgpack: encodeMsgpack(value, block.attributes) };
}

/**
 * A planned or a new state; null for what is destroyed. Write-only attributes are left out: they
 * never get into plan or state.
 */
export function toWireState(
  value: CtyObject | null,
  block: BlockSchema,
): Init<(typeof DynamicValue)["fields"]> {
  if (value === null) return { msgpack: encodeMsgpack(null, block.attributes) };
  const kept = Object.entries(value).filter(([name]) => block.attributes[name]?.writeOnly !== true);
  return toWireResult(Object.fromEntries(kept), block);
}

/** A state as it is stored, by any version of the schema up to this. Throws {@link CtyError}. */
export function fromStoredState(
  json: Uint8Array | undefined,
  version: number,
  block: BlockSchema,
): CtyObject {
  const present = block.version ?? 0;
  if (version < 0 || version > present)
    throw new CtyError(
      `the state has version ${version} of the resource's layout, and this provider knows version ${present}`,
    );
  return decodeStoredBlock(json ?? new Uint8Array(0), block.attributes);
}
