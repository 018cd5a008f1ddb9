export type { UnaryHandler } from "./call";
export type { MutualTls } from "./mutual-tls";
export { type Connection, createGrpcServer, type GrpcServer } from "./server";
export { GRPC_STATUS, GrpcError } from "./status";
