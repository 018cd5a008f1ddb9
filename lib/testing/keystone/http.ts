import { STATUS_CODES } from "node:http";
import type { ServedAnswer } from "../intercept";
import type { Noted, RefusalReason } from "./journal";

/** The path of Keystone. */
export const MOUNT = "/identity";

/** A request as received. */
export interface IdentityRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The origin that the client used, from its Host header; Keystone's links use it. */
  readonly origin: string;
}

/** An answer, and what the journal notes of it. */
export interface IdentityAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly noted: Noted;
  /** False for answers of servers around Keystone. */
  readonly isKeystones: boolean;
}

/** Whether a step has already led to an answer. */
export function isAnswer(value: unknown): value is IdentityAnswer {
  return typeof value === "object" && value !== null && "noted" in value && "status" in value;
}

/** An answer with a result. */
export function jsonAnswer(
  status: number,
  body: unknown,
  noted: Noted = {},
  headers: IdentityAnswer["headers"] = {},
): IdentityAnswer {
  const type = { "Content-Type": "application/json", ...headers };
  return { status, headers: type, body: JSON.stringify(body), noted, isKeystones: true };
}

/** An answer of a server around Keystone, which has no request id. */
export function outsideAnswer(status: number, body: unknown, noted: Noted = {}): IdentityAnswer {
  const answer = jsonAnswer(status, body, noted);
  return { ...answer, body: `${answer.body}\n`, isKeystones: false };
}

/** An answer of Keystone's error shape. */
export function errorAnswer(status: number, message: string, noted: Noted = {}): IdentityAnswer {
  const title = STATUS_CODES[status];
  return jsonAnswer(status, { error: { code: status, message, title } }, noted);
}

/** The only 401, whatever the cause: only the journal contains that. */
export function unauthorized(
  { origin }: IdentityRequest,
  reason: RefusalReason,
  noted: Noted = {},
): IdentityAnswer {
  const message = "The request you have made requires authentication.";
  const { headers, ...answer } = errorAnswer(401, message, { ...noted, reason });
  const challenge = { "WWW-Authenticate": `Keystone uri="${origin}${MOUNT}/v3"` };
  return { ...answer, headers: { ...headers, ...challenge } };
}

/** With the headers of every answer of the service. */
export function toServed(
  { status, headers, body, isKeystones }: IdentityAnswer,
  { requestId, at }: { readonly requestId: string; readonly at: number },
): ServedAnswer {
  return {
    status,
    headers: [
      ["Date", new Date(at).toUTCString()],
      ...Object.entries(headers),
      ...(isKeystones ? [["x-openstack-request-id", requestId] as const] : []),
    ],
    body,
  };
}
