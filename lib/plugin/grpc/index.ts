export type { UnaryHandler } from "./call";
export { type MutualTls, onlyClient } from "./mutual-tls";
export { type Connection, createGrpcServer, type GrpcServer, type Peer } from "./server";
export { GRPC_STATUS, GrpcError } from "./status";
