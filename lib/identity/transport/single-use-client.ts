/// <reference path="./undici-modules.d.ts" />
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
// By their paths: undici's index loads fetch, WebSocket, caches and mocks as well, which takes
// 20 ms, and would make its own dispatcher that of the process's fetch().
import connect from "undici/lib/api/api-connect.js";
import request from "undici/lib/api/api-request.js";
import { kParser } from "undici/lib/core/symbols.js";
import Client from "undici/lib/dispatcher/client.js";
import type { Limits } from "../limits";
import { FaultError } from "./socket-fault";

/** Inserted by the build. */
declare const IAM_TOKENS_VERSION: string | undefined;

/**
 * Sent with each request, to a proxy as well: firewalls refuse requests without it, and operators
 * find this client by it.
 *
 * @see RFC 9110, section 10.1.5
 */
const AGENT = {
  "user-agent": `cdktf-iam-tokens/${typeof IAM_TOKENS_VERSION === "undefined" ? "0" : IAM_TOKENS_VERSION}`,
};

type Headers = Readonly<Record<string, string>>;

interface Sent extends Omit<Dispatcher.RequestOptions, "headers"> {
  readonly origin: string;
  readonly headers: Headers;
}

/** The answer to one request, over a connection of its own. */
export function requestOn(socket: Duplex, { origin, ...sent }: Sent, limits: Limits) {
  const headers = { ...AGENT, ...sent.headers };
  return request.call(clientOn(socket, origin, limits), {
    ...{ ...sent, headers, reset: true, responseHeaders: "raw" },
  });
}

/** A proxy's answer to CONNECT. */
export const connectOn = (
  socket: Duplex,
  origin: string,
  path: string,
  headers: Headers,
  limits: Limits,
  signal: AbortSignal,
) =>
  connect.call(clientOn(socket, origin, limits), {
    origin,
    path,
    headers: { ...AGENT, ...headers },
    signal,
  });

/**
 * A client of one connection, which ends with its request. Nothing has to be kept, and no request
 * gets lost on an idle connection that the service is closing.
 */
function clientOn(socket: Duplex, origin: string, limits: Limits): Client {
  const only = socket as Socket & { [kParser]?: Parser };
  let isUsed = false;
  return new Client(origin, {
    maxHeaderSize: limits.headerBytes,
    // undici's own are coarse, and restart with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Not at once, which undici does not expect. If a connection is lost before it is used, undici
    // would ask for another one forever.
    connect: (_target, done) =>
      queueMicrotask(() => {
        if (isUsed) return done(new FaultError({ kind: "fault", fault: "connection" }), null);
        isUsed = true;
        done(null, only);
        takeContinue(only[kParser]);
        // undici counts no interim answers, empty lines, status texts and extensions of chunks.
        only.on("readable", () => {
          if (only.bytesRead > limits.connectionBytes)
            only.destroy(new FaultError({ kind: "fault", fault: "malformed" }));
        });
      }),
  });
}

interface Parser {
  onHeadersComplete(status: number, ...more: unknown[]): number;
}

/**
 * undici ends a connection at an interim status 100 that was not requested; any other, it skips. A
 * client has to be able to read it.
 *
 * @see RFC 9110, section 15.2
 */
function takeContinue(parser: Parser | undefined): void {
  if (parser === undefined) return;
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, ...more) => complete(status === 100 ? 102 : status, ...more);
}
