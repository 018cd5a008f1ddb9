export { CtyError, type CtyPath } from "./cty-error";
export { decodeJson, decodeStoredAttributes } from "./json";
export { decodeMsgpack, encodeMsgpack, loadMsgpack } from "./msgpack";
export type { CtyType } from "./type";
export { type CtyObject, type CtyValue, Decimal, UNKNOWN } from "./value";
