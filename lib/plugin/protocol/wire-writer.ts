import { WIRE } from "./wire-reader";

/**
 * Collects the wire format of Protocol Buffers. Messages here are small, so chunks are kept and
 * joined once at the end.
 */
export class WireWriter {
  readonly #chunks: Uint8Array[] = [];

  varintField(field: number, value: number): void {
    this.#varint(field * 8 + WIRE.varint);
    this.#varint(value);
  }

  bytesField(field: number, value: Uint8Array): void {
    this.#varint(field * 8 + WIRE.bytes);
    this.#varint(value.length);
    this.#chunks.push(value);
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  #varint(value: number): void {
    if (!Number.isSafeInteger(value))
      throw new RangeError("an integer field holds whole numbers of 53 bits");
    if (value >= 0 && value < 0x80) {
      this.#chunks.push(Uint8Array.of(value));
      return;
    }
    const bytes: number[] = [];
    // A negative number is its 64-bit two's complement: ten bytes.
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.#chunks.push(Uint8Array.from(bytes));
  }
}
