// What the provider's bundle holds of undici: of its index that which lib/identity/transport
// imports. The whole index is twice as large and takes 20 ms more to load, for fetch, WebSocket,
// caches and mocks; and it makes its own dispatcher that of the process's fetch().

import connect from "undici/lib/api/api-connect.js";
import Client from "undici/lib/dispatcher/client.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import Pool from "undici/lib/dispatcher/pool.js";

Dispatcher.prototype.connect = connect;

export { Client, Pool };
