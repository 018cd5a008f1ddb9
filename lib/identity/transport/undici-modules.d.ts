/** undici publishes types for its index alone. */
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
declare module "undici/lib/api/api-request.js" {
  import type { Client, Dispatcher } from "undici";
  export default function request(
    this: Client,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
declare module "undici/lib/api/api-connect.js" {
  import type { Client, Dispatcher } from "undici";
  export default function connect(
    this: Client,
    options: Dispatcher.ConnectOptions,
  ): Promise<Dispatcher.ConnectData>;
}
declare module "undici/lib/core/symbols.js" {
  export const kParser: unique symbol;
}
