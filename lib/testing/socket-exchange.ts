import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultInjector } from "./faults/fault-injector";
import { MAX_REQUEST_BODY_BYTES } from "./identity/answers";
import { titleOf, type WireAnswer } from "./identity/exchange";
import {
  askKeystone,
  forMethod,
  type KeystoneCircumstances,
  splitTarget,
} from "./identity/keystone";

/** Context for answering a request from a socket. */
interface Circumstances extends KeystoneCircumstances {
  readonly https: boolean;
  /** Faults to inject. */
  readonly faults: FaultInjector;
}

/** Passes a request from the socket to the service, and its answer back. */
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
  const inFront = encounter.answerBeforeService();
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
  // Set here: otherwise Node would add the keep-alive time of the connection, which a real service
  // does not send.
  const connection = isSaid || !response.shouldKeepAlive ? [] : ["Connection", "keep-alive"];
  // A fault may have removed the header: Node.js must not add its own.
  response.sendDate = false;
  // As a flat list, which keeps repeated lines.
  response.writeHead(status, titleOf(status), [...connection, ...headers.flat()]);
  response.end(body);
}

/**
 * The whole body, or undefined if it is larger than Keystone accepts; never stores more than that.
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
    // Read to its end even then: closing a connection with unread data would lose the answer.
    incoming.once("end", () =>
      resolve(size <= MAX_REQUEST_BODY_BYTES ? Buffer.concat(chunks) : undefined),
    );
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("The client went away.")));
  });
}
