import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultInjector } from "../faults/fault-injector";
import type { IdentityState } from "./exchange";
import { answerRequest } from "./handlers";
import type { Journal } from "./journal";
import { MAX_REQUEST_BODY_BYTES, requestTooLarge } from "./keystone-answers";
import { toWireAnswer, type WireAnswer } from "./wire-answer";

/** What a request is answered with and under. */
export interface Circumstances {
  readonly state: IdentityState;
  readonly journal: Journal;
  readonly latencyMs: number;
  readonly https: boolean;
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** What goes wrong on purpose. */
  readonly faults: FaultInjector;
}

/** From the socket to a handler and back; each request is put down in the journal. */
export async function respond(incoming: IncomingMessage, response: ServerResponse, at: Circumstances): Promise<void> {
  const body = await readBody(incoming);
  if (at.latencyMs > 0) await at.wait(at.latencyMs, at.signal);
  const [path = "/", query = ""] = splitOnce(incoming.url ?? "/", "?");
  const method = incoming.method ?? "GET";
  const scheme = at.https ? "https" : "http";
  const origin = `${scheme}://${incoming.headers.host ?? "localhost"}`;
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(", ")]));
  const encounter = at.faults.meet(method);
  const asked = { origin, path, body: body ?? Buffer.alloc(0) };
  const inFront = encounter.inFront(asked);
  if (inFront !== undefined) {
    const { status } = inFront;
    const entry = { at: new Date(at.now()).toISOString(), method, path, status, requestId: null, faults: encounter.kinds };
    at.journal.record(entry, {});
    await encounter.deliver(forMethod(inFront, method), response, send);
    return;
  }
  const answer = body === undefined ? requestTooLarge() : answerRequest({ method, path, query, headers, body, origin }, at.state);
  // Only what Keystone itself answers has an id: plain text comes from what stands around it.
  const requestId = answer.headers.Vary === undefined ? null : toRequestId(at.random(16));
  const entry = { at: new Date(at.now()).toISOString(), method, path, status: answer.status, requestId, faults: encounter.kinds };
  at.journal.record(entry, answer.noted);
  const sound = toWireAnswer(answer, { requestId, date: new Date(at.now()) });
  await encounter.deliver(forMethod(encounter.change(sound, asked), method), response, send);
}

/** To HEAD the head is answered alone. */
function forMethod(answer: WireAnswer, method: string): WireAnswer {
  return method === "HEAD" ? { ...answer, body: Buffer.alloc(0) } : answer;
}

function send({ status, headers, body }: WireAnswer, response: ServerResponse): void {
  // As a flat list, which keeps a line that is there twice.
  response.writeHead(status, headers.flat());
  response.end(body);
}

/** The whole body, or undefined when it is larger than Keystone takes; no more than that is ever held. */
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
    incoming.once("end", () => resolve(size <= MAX_REQUEST_BODY_BYTES ? Buffer.concat(chunks) : undefined));
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("The client went away.")));
  });
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function toRequestId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `req-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")}`;
}
