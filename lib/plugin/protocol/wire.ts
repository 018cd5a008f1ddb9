// The wire format of Protocol Buffers.

/**
 * Bytes that are not a message. The error describes their form, never their content.
 */
export class MalformedMessageError extends Error {
  constructor(problem: string) {
    super(`malformed message: ${problem}`);
    this.name = "MalformedMessageError";
  }
}

/** The layout of a field's value, from its tag. Go writes no groups (3 and 4). */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * For any input, reading ends within the given bytes or throws {@link MalformedMessageError}.
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
    const field = Math.floor(tag / 8);
    if (field < 1 || field > 0x1fffffff)
      throw new MalformedMessageError("a field number that cannot be");
    return { field, wire: tag % 8 };
  }

  /** Exact up to 53 bits; a larger number is rounded, and stays above that. */
  varint(): number {
    let value = 0;
    for (let count = 0; count < 10; count++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * count);
      if (byte < 0x80) return value;
    }
    throw new MalformedMessageError("a varint of more than ten bytes");
  }

  /**
   * A whole number. A negative one, or one that a number cannot represent exactly, is refused: none
   * of our fields can contain it.
   */
  integer(): number {
    const value = this.varint();
    if (!Number.isSafeInteger(value)) throw new MalformedMessageError("an integer beyond 53 bits");
    return value;
  }

  /** A view, not a copy. */
  bytes(): Uint8Array {
    return this.#take(this.varint());
  }

  string(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  }

  /** Skips the value of an unknown field. */
  skip(wire: number): void {
    if (wire === WIRE.varint) this.varint();
    else if (wire === WIRE.fixed64) this.#take(8);
    else if (wire === WIRE.bytes) this.bytes();
    else if (wire === WIRE.fixed32) this.#take(4);
    else throw new MalformedMessageError("a wire type that cannot be");
  }

  #byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new MalformedMessageError("cut off");
    this.#position += 1;
    return byte;
  }

  #take(count: number): Uint8Array {
    const start = this.#position;
    if (count > this.#bytes.length - start)
      throw new MalformedMessageError("a length beyond the end");
    this.#position += count;
    return this.#bytes.subarray(start, this.#position);
  }
}

/** A field with a whole number, as chunks of a message. */
export function varintField(field: number, value: number): Uint8Array[] {
  return [tag(field, WIRE.varint), varint(value)];
}

/** A field with bytes, as chunks of a message. */
export function bytesField(field: number, value: Uint8Array): Uint8Array[] {
  return [tag(field, WIRE.bytes), varint(value.length), value];
}

function tag(field: number, wire: number): Uint8Array {
  return varint(field * 8 + wire);
}

/** None of the fields written here has negative numbers. */
function varint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError("an integer field holds whole numbers from 0 to 53 bits");
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.of(...bytes, rest);
}
