import { aroundKeystone, expecting, isAnswer, MOUNT } from "./answers";
import { ECHO, echo } from "./echo";
import type { IdentityAnswer, IdentityRequest, IdentityState, RawRequest } from "./exchange";
import { toWireAnswer, type WireAnswer } from "./exchange";
import { GITHUB_ACTIONS, giveIdToken } from "./github-actions";
import type { Journal } from "./journal";
import { answerRequest } from "./routes";

/** Context for answering a request. */
export interface KeystoneCircumstances {
  readonly state: IdentityState;
  readonly journal: Journal;
  /** Whether it simulates a product API at /echo. */
  readonly echo: boolean;
  readonly latencyMs: number;
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The service's answer to a request, which is added to the journal. */
export function askKeystone(
  request: RawRequest,
  at: Pick<KeystoneCircumstances, "state" | "journal" | "echo" | "now" | "random">,
): WireAnswer {
  const answer = answerWithin(request, at);
  const requestId = answer.hasRequestId ? toRequestId(at.random(16)) : null;
  const date = new Date(at.now());
  const { method, path } = request;
  at.journal.record(
    { at: date.toISOString(), method, path, status: answer.status, requestId },
    answer.noted,
  );
  return toWireAnswer(answer, { requestId, date });
}

function answerWithin(
  request: RawRequest,
  { echo: hasEcho, state }: Pick<KeystoneCircumstances, "echo" | "state">,
): IdentityAnswer {
  if (hasEcho && request.path === ECHO) return echo(request, state);
  if (request.path === GITHUB_ACTIONS) return giveIdToken(request, state.federation);
  return answerRaw(request, state);
}

function answerRaw({ body, ...request }: RawRequest, state: IdentityState): IdentityAnswer {
  if (request.path !== MOUNT && !request.path.startsWith(`${MOUNT}/`)) return aroundKeystone(404);
  if (body === undefined) return aroundKeystone(413);
  // Keystone reads the body before the path.
  const read = readBody(request.headers, body);
  const answer = isAnswer(read) ? read : answerRequest({ ...request, ...read }, state);
  return request.method === "OPTIONS" && answer.status !== 200 ? aroundKeystone(200) : answer;
}

/** The body as a JSON object, or Keystone's answer to any other body. */
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
    // As of JSON that is not an object.
  }
  return expecting("valid JSON", "request body");
}

/** HEAD gets only the head. */
export function forMethod(answer: WireAnswer, method: string): WireAnswer {
  return method === "HEAD" ? { ...answer, body: Buffer.alloc(0) } : answer;
}

/** Path and query of a request line's target. */
export function splitTarget(target: string): Pick<RawRequest, "path" | "query"> {
  const at = target.indexOf("?");
  if (at < 0) return { path: target, query: "" };
  return { path: target.slice(0, at), query: target.slice(at + 1) };
}

function toRequestId(bytes: Buffer): string {
  return `req-${bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}`;
}
