/// <reference path="./undici-client.d.ts" />
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
// By its path: undici's index loads fetch, WebSocket, caches and mocks as well, which takes 20 ms,
// and would make its own dispatcher that of the process's fetch().
import Client from "undici/lib/dispatcher/client.js";

interface ExchangeOptions extends Dispatcher.DispatchOptions {
  readonly origin: string;
  /** Limit for the head of an answer. */
  readonly headerBytes?: number;
}

/**
 * Sends one request over a connection of its own, which ends with it. Nothing has to be kept, and
 * no request gets lost on an idle connection that the service is closing.
 */
export function dispatch(
  socket: Socket,
  { origin, headerBytes, ...request }: ExchangeOptions,
  handler: Dispatcher.DispatchHandler,
): void {
  let unused: Socket | undefined = socket;
  const client = new Client(origin, {
    ...(headerBytes !== undefined && { maxHeaderSize: headerBytes }),
    // The collector has the time limits: undici's are coarse, and restart with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Not at once, which undici does not expect. If a connection is lost before it is used, undici
    // would ask for another one forever.
    connect: (_target, done) => {
      queueMicrotask(() => {
        if (unused === undefined) done(new Error("The connection is lost."), null);
        else done(null, unused);
        unused = undefined;
      });
    },
  });
  client.dispatch({ ...request, reset: true }, handler);
}
