export type { UnaryHandler } from "./call";
export { CancelledError } from "./cancelled-error";
export { type MutualTls, onlyClient } from "./mutual-tls";
export { type Connection, createGrpcServer, type GrpcServer, type Peer } from "./server";
export { GRPC_STATUS, GrpcError } from "./status";
