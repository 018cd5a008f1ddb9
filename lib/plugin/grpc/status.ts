/** The gRPC codes of this server's answers. */
export const GRPC_STATUS = {
  OK: 0,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
} as const;

export type GrpcStatusCode = (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];

/**
 * A call that ends with another status than OK. The peer reads the message, and Terraform prints
 * it: it must not contain a secret.
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
 * A status message in the form of its trailer: UTF-8, percent-encoded except for printable ASCII
 * without "%".
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
