export { MalformedMessageError } from "./malformed-message-error";
export { decodeMessage, encodeMessage, type Init, type MessageType } from "./message-type";
export * from "./tfplugin6.generated";
