import { GRPC_STATUS, GrpcError } from "./status";

/** A message is preceded by one byte (1 = compressed) and its length in four. */
const PREFIX_BYTES = 5;

/**
 * Terraform's own limit for the answers of a provider, which its requests repeat. Providers in Go
 * accept four times as much.
 */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** A message with its prefix. */
export function frame(message: Uint8Array): Uint8Array {
  const framed = Buffer.alloc(PREFIX_BYTES + message.length);
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, PREFIX_BYTES);
  return framed;
}

/**
 * Assembles the single message of a unary call from its pieces. Throws {@link GrpcError} as soon as
 * the message cannot be valid.
 */
export class UnaryMessageReader {
  #chunks: Uint8Array[] = [];
  #received = 0;
  /** Length of the message without its prefix; undefined until the prefix has arrived. */
  #length: number | undefined;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#length === undefined && this.#received >= PREFIX_BYTES)
      this.#length = this.#readPrefix();
    if (this.#length !== undefined && this.#received > PREFIX_BYTES + this.#length) {
      throw new GrpcError(GRPC_STATUS.INTERNAL, "More than one message in a call that takes one.");
    }
  }

  /** The message, after the peer has ended its side. */
  finish(): Uint8Array {
    if (this.#length === undefined || this.#received < PREFIX_BYTES + this.#length) {
      throw new GrpcError(GRPC_STATUS.INTERNAL, "The call ended before its message was complete.");
    }
    return Buffer.concat(this.#chunks).subarray(PREFIX_BYTES);
  }

  #readPrefix(): number {
    const prefix = Buffer.concat(this.#chunks);
    this.#chunks = [prefix];
    if (prefix[0] !== 0)
      throw new GrpcError(GRPC_STATUS.UNIMPLEMENTED, "Compressed messages are not supported.");
    const length = prefix.readUInt32BE(1);
    if (length > MAX_MESSAGE_BYTES) {
      throw new GrpcError(
        GRPC_STATUS.RESOURCE_EXHAUSTED,
        `A message of ${length} bytes is larger than ${MAX_MESSAGE_BYTES}.`,
      );
    }
    return length;
  }
}
