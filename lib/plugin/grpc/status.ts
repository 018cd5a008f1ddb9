/** Codes of gRPC that this server answers with. */
export const GRPC_STATUS = {
  OK: 0,
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
} as const;

export type GrpcStatusCode = (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];

/**
 * A call that ends with another status than OK. The peer reads the message, and Terraform prints
 * it: no secret in it.
 */
export class GrpcError extends Error {
  constructor(
    readonly code: GrpcStatusCode,
    message: string,
  ) {
    super(message);
    this.name = "GrpcError";
  }
}

/**
 * A status message as its trailer carries it: UTF-8, all but printable ASCII (and "%")
 * percent-encoded.
 */
export function encodeStatusMessage(message: string): string {
  let encoded = "";
  for (const byte of Buffer.from(message, "utf8")) {
    const printable = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += printable
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
