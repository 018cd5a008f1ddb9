import { type IdentityAnswer, type IdentityRequest, titleOf } from "./exchange";
import type { Noted } from "./journal";

/** The path of Keystone. */
export const MOUNT = "/identity";

/** Larger request bodies are refused. */
export const MAX_REQUEST_BODY_BYTES = 114_688;

/** Whether a parser's result is already an answer. */
export function isAnswer(value: unknown): value is IdentityAnswer {
  return typeof value === "object" && value !== null && "noted" in value && "status" in value;
}

/** An answer with a result. */
export function jsonAnswer(
  status: number,
  body: unknown,
  headers: Headers = {},
  noted: Noted = {},
): IdentityAnswer {
  return textAnswer(status, JSON.stringify(body), { ...JSON_TYPE, ...headers }, noted);
}

/** An answer of Keystone's error shape. */
export function errorAnswer(
  status: number,
  message: string,
  noted: Noted = {},
  more: object = {},
): IdentityAnswer {
  const error = { code: status, ...more, message, title: titleOf(status) };
  return jsonAnswer(status, { error }, {}, noted);
}

/**
 * The only 401, whatever the cause: only the journal contains that. Its address comes from the Host
 * header, as in Keystone.
 */
export function unauthorized(
  { origin }: IdentityRequest,
  noted: Noted,
  message = "The request you have made requires authentication.",
  more: object = {},
): IdentityAnswer {
  const answer = errorAnswer(401, message, noted, more);
  const challenge = { "WWW-Authenticate": `Keystone uri="${origin}${MOUNT}/v3"` };
  return { ...answer, headers: { ...answer.headers, ...challenge } };
}

/** 400 for a part that is missing. */
export function expecting(attribute: string, target: string): IdentityAnswer {
  return errorAnswer(
    400,
    `Expecting to find ${attribute} in ${target}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
    { reason: "malformed_request" },
  );
}

/** 403 for a request that the policy does not allow, with the name of the policy's rule. */
export function forbidden(noted: Noted, rule?: string): IdentityAnswer {
  const which = rule === undefined ? "" : `: ${rule}`;
  const message = `You are not authorized to perform the requested action${which}.`;
  return errorAnswer(403, message, noted);
}

/** 204. */
export function emptyAnswer(noted: Noted): IdentityAnswer {
  return textAnswer(204, "", {}, noted);
}

/** Flat, unlike the other errors. */
export function methodNotAllowed(allow: string): IdentityAnswer {
  const message = "The method is not allowed for the requested URL.";
  return jsonAnswer(405, { message }, { Allow: allow });
}

/** The answer to OPTIONS. */
export function options(allow: string): IdentityAnswer {
  return textAnswer(200, "", { Allow: allow });
}

/** The server around Keystone answers: to an unknown path, and to a body beyond the limit. */
export function aroundKeystone(status: number, headers: Headers = {}): IdentityAnswer {
  const body = status < 400 ? "" : `${titleOf(status)}\n`;
  const type = { "Content-Type": "text/plain" };
  return { status, headers: { ...type, ...headers }, body, noted: {}, hasRequestId: false };
}

/** The server around Keystone has caught an exception, and closes the connection. */
export function serverError(noted: Noted): IdentityAnswer {
  return { ...aroundKeystone(500, { Connection: "close" }), noted };
}

type Headers = IdentityAnswer["headers"];
const JSON_TYPE = { "Content-Type": "application/json" };

function textAnswer(
  status: number,
  body: string,
  headers: Headers,
  noted: Noted = {},
): IdentityAnswer {
  return { status, headers: { ...headers, Vary: "X-Auth-Token" }, body, noted, hasRequestId: true };
}
