import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MAX_REQUEST_BODY_BYTES } from "./identity/answers";
import { askKeystone, type KeystoneCircumstances, splitTarget } from "./identity/keystone";
import { deliver, type Intercept, type Reaction, type ServedAnswer } from "./intercept";

/** Context for answering a request from a socket. */
interface Circumstances extends KeystoneCircumstances {
  readonly https: boolean;
  readonly intercept: Intercept;
  /** From 1. */
  readonly number: () => number;
  /** The intercept function has thrown. */
  readonly failed: (error: unknown) => void;
  /** The TCP connection of a response. */
  readonly connectionOf: (socket: Socket) => Socket;
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
  const request = { method, path, query, headers, body, origin };
  const serve = (): ServedAnswer => {
    const answer = askKeystone(request, at);
    const own = answer.headers.filter(([name]) => name !== "Content-Length");
    return { status: answer.status, headers: own, body: answer.body.toString("utf8") };
  };
  let reaction: Reaction;
  try {
    const text = body?.toString("utf8") ?? "";
    reaction = await at.intercept(
      { number: at.number(), method, path, headers, body: text },
      serve,
    );
  } catch (error) {
    at.failed(error);
    throw error;
  }
  if (response.socket !== null) await deliver(reaction, response, at.connectionOf(response.socket));
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
