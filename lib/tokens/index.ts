// All of the room except the tables of ways.ts and provider-arguments.ts, which cost time to load.

export * from "./address";
export * from "./auth-url";
export * from "./base-url";
export * from "./brand";
export * from "./command";
export * from "./defined";
export * from "./duration";
export * from "./error";
export * from "./error-codes";
export * from "./fingerprint";
export * from "./identity-token";
export * from "./monotonic-clock";
export * from "./name";
export * from "./odd-value";
export * from "./printable";
export * from "./product-area";
export * from "./rfc3339";
export * from "./secret";
export * from "./shared-variables";
export * from "./token-kind";
export * from "./usage-error";
export * from "./words";
