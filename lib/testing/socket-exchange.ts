import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultInjector } from "./faults/fault-injector";
import { MAX_REQUEST_BODY_BYTES } from "./identity/answers";
import { reasonPhrase, type WireAnswer } from "./identity/exchange";
import {
  askKeystone,
  forMethod,
  type KeystoneCircumstances,
  splitTarget,
} from "./identity/keystone";

/** What a request that comes by a socket is answered with and under. */
interface Circumstances extends KeystoneCircumstances {
  readonly https: boolean;
  /** What goes wrong on purpose. */
  readonly faults: FaultInjector;
}

/** From the socket to the service and back. */
export async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  at: Circumstances,
): Promise<void> {
  const body = await readBody(incoming);
  if (at.latencyMs > 0) await at.wait(at.latencyMs, at.signal);
  const { path, query } = splitTarget(incoming.url ?? "/");
  const method = incoming.method ?? "GET";
  const origin = `${at.https ? "https" : "http"}://${incoming.headers.host ?? "localhost"}`;
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
  const encounter = at.faults.meet(method, { origin, path, body: body ?? Buffer.alloc(0) });
  const inFront = encounter.inFront();
  if (inFront !== undefined) {
    const time = new Date(at.now()).toISOString();
    const { status } = inFront;
    at.journal.record(
      { at: time, method, path, status, requestId: null, faults: encounter.kinds },
      {},
    );
  }
  const request = { method, path, query, headers, body, origin };
  const answer = encounter.change(inFront ?? askKeystone(request, at, encounter.kinds));
  await encounter.deliver(forMethod(answer, method), response, send);
}

function send({ status, headers, body }: WireAnswer, response: ServerResponse): void {
  const isSaid = headers.some(([name]) => name === "Connection");
  // Said here, for Node would add how long it keeps the connection, which a real service keeps to
  // itself.
  const connection = isSaid || !response.shouldKeepAlive ? [] : ["Connection", "keep-alive"];
  // A fault may have taken the header away: Node.js must not put its own there.
  response.sendDate = false;
  // As a flat list, which keeps a line that is there twice.
  response.writeHead(status, reasonPhrase(status), [...connection, ...headers.flat()]);
  response.end(body);
}

/**
 * The whole body, or undefined when it is larger than Keystone takes; no more than that is ever
 * held.
 */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_REQUEST_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    // Read to its end even so: a connection that is closed on unread data loses the answer too.
    incoming.once("end", () =>
      resolve(size <= MAX_REQUEST_BODY_BYTES ? Buffer.concat(chunks) : undefined),
    );
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("The client went away.")));
  });
}
