import { checkBody, parseJsonObject } from "./auth-request";
import type { IdentityAnswer, IdentityState } from "./exchange";
import { answerRequest, isMounted } from "./handlers";
import type { Journal } from "./journal";
import { bareOptions, notMounted, requestTooLarge } from "./keystone-answers";
import { toWireAnswer, type WireAnswer } from "./wire-answer";

/** A request as it came, by a socket or without one. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined: larger than Keystone takes. */
  readonly body: Buffer | undefined;
  readonly origin: string;
}

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
  faults: Parameters<Journal["record"]>[0]["faults"] = [],
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
  if (!isMounted(request.path)) return notMounted();
  if (body === undefined) return requestTooLarge(request.headers);
  // Keystone looks at a body before it looks at the path.
  const answer =
    checkBody(request.headers, body) ??
    answerRequest({ ...request, json: parseJsonObject(body) }, state);
  return request.method === "OPTIONS" && answer.status !== 200 ? bareOptions() : answer;
}

/** To HEAD the head is answered alone. */
export function forMethod(answer: WireAnswer, method: string): WireAnswer {
  return method === "HEAD" ? { ...answer, body: Buffer.alloc(0) } : answer;
}

/** Path and query of what stands in a request line. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf("?");
  return at < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, at), query: target.slice(at + 1) };
}

function toRequestId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `req-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")}`;
}
