import { MalformedMessageError } from "./malformed-message-error";

/** How a field's value is laid out, as its tag says. */
export const WIRE = {
  varint: 0,
  fixed64: 1,
  bytes: 2,
  groupStart: 3,
  groupEnd: 4,
  fixed32: 5,
} as const;

const MAX_GROUP_DEPTH = 16;

/**
 * Reads the wire format of Protocol Buffers. Whatever stands there, it ends within the given bytes
 * or throws {@link MalformedMessageError}.
 */
export class WireReader {
  #position = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  tag(): { readonly field: number; readonly wire: number } {
    const tag = this.varint();
    const field = Number(tag >> 3n);
    if (field < 1 || field > 0x1fffffff)
      throw new MalformedMessageError("a field number that cannot be");
    return { field, wire: Number(tag & 7n) };
  }

  /** The 64 bits of a varint. */
  varint(): bigint {
    // Nearly all are one byte, or few: bigint arithmetic only for those that need it.
    let low = 0;
    for (let count = 0; count < 4; count++) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << (7 * count);
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let count = 4; count < 10; count++) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MalformedMessageError("a varint of more than ten bytes");
  }

  /**
   * A signed integer; one that a number does not hold exactly is refused, since no field of ours
   * can have it.
   */
  integer(): number {
    const value = Number(BigInt.asIntN(64, this.varint()));
    if (!Number.isSafeInteger(value)) throw new MalformedMessageError("an integer beyond 53 bits");
    return value;
  }

  /** A view, not a copy. */
  bytes(): Uint8Array {
    const length = this.varint();
    if (length > BigInt(this.#bytes.length - this.#position))
      throw new MalformedMessageError("a length beyond the end");
    const start = this.#position;
    this.#position += Number(length);
    return this.#bytes.subarray(start, this.#position);
  }

  string(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  }

  /** Passes over the value of a field that is not known. */
  skip(field: number, wire: number, depth = 0): void {
    switch (wire) {
      case WIRE.varint:
        this.varint();
        return;
      case WIRE.fixed64:
        this.#advance(8);
        return;
      case WIRE.bytes:
        this.bytes();
        return;
      case WIRE.fixed32:
        this.#advance(4);
        return;
      case WIRE.groupStart:
        if (depth >= MAX_GROUP_DEPTH) throw new MalformedMessageError("groups nested too deeply");
        for (;;) {
          const inner = this.tag();
          if (inner.wire === WIRE.groupEnd) {
            if (inner.field !== field) throw new MalformedMessageError("a group that ends another");
            return;
          }
          this.skip(inner.field, inner.wire, depth + 1);
        }
      default:
        throw new MalformedMessageError("a wire type that cannot be");
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new MalformedMessageError("cut off");
    this.#position += 1;
    return byte;
  }

  #advance(count: number): void {
    if (this.#bytes.length - this.#position < count) throw new MalformedMessageError("cut off");
    this.#position += count;
  }
}
