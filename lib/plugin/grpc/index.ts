export type { UnaryHandler } from "./call";
export { type Connection, createGrpcServer, type GrpcServer, type MutualTls } from "./server";
export { GRPC_STATUS, GrpcError } from "./status";
