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
