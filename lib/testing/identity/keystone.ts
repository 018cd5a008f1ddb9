import { bareOptions, expecting, isAnswer, MOUNT, notMounted, requestTooLarge } from "./answers";
import type { IdentityAnswer, IdentityRequest, IdentityState, RawRequest } from "./exchange";
import { toWireAnswer, type WireAnswer } from "./exchange";
import type { Journal, JournalEntry } from "./journal";
import { answerRequest } from "./routes";

/** What a request is answered with and under. */
export interface KeystoneCircumstances {
  readonly state: IdentityState;
  readonly journal: Journal;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The service's answer to a request, which is put down in the journal. */
export function askKeystone(
  request: RawRequest,
  at: Pick<KeystoneCircumstances, "state" | "journal" | "now" | "random">,
  faults: JournalEntry["faults"] = [],
): WireAnswer {
  const answer = answerRaw(request, at.state);
  const requestId = answer.hasRequestId ? toRequestId(at.random(16)) : null;
  const date = new Date(at.now());
  const { method, path } = request;
  at.journal.record(
    { at: date.toISOString(), method, path, status: answer.status, requestId, faults },
    answer.noted,
  );
  return toWireAnswer(answer, { requestId, date });
}

function answerRaw({ body, ...request }: RawRequest, state: IdentityState): IdentityAnswer {
  if (request.path !== MOUNT && !request.path.startsWith(`${MOUNT}/`)) return notMounted();
  if (body === undefined) return requestTooLarge(request.headers);
  // Keystone looks at a body before it looks at the path.
  const read = readBody(request.headers, body);
  const answer = isAnswer(read) ? read : answerRequest({ ...request, ...read }, state);
  return request.method === "OPTIONS" && answer.status !== 200 ? bareOptions() : answer;
}

/** The body as a JSON object, or what Keystone says of another. */
function readBody(
  headers: RawRequest["headers"],
  body: Buffer,
): Pick<IdentityRequest, "json"> | IdentityAnswer {
  if (body.length === 0) return { json: undefined };
  const contentType = headers["content-type"] ?? "";
  if (contentType !== "" && !/^application\/(json|[\w.-]+\+json)\s*([;,]|$)/i.test(contentType))
    return expecting("application/json", "Content-Type header");
  try {
    const json: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof json === "object" && json !== null && !Array.isArray(json))
      return { json: json as Readonly<Record<string, unknown>> };
  } catch {
    // As of JSON that is no object.
  }
  return expecting("valid JSON", "request body");
}

/** To HEAD the head is answered alone. */
export function forMethod(answer: WireAnswer, method: string): WireAnswer {
  return method === "HEAD" ? { ...answer, body: Buffer.alloc(0) } : answer;
}

/** Path and query of what stands in a request line. */
export function splitTarget(target: string): Pick<RawRequest, "path" | "query"> {
  const at = target.indexOf("?");
  if (at < 0) return { path: target, query: "" };
  return { path: target.slice(0, at), query: target.slice(at + 1) };
}

function toRequestId(bytes: Buffer): string {
  return `req-${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}
