import type { IdentityAnswer, IdentityRequest, Noted } from "./exchange";

/** Where Keystone is mounted. */
export const MOUNT = "/identity";

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
};

/** Any JSON answer. */
export function jsonAnswer(
  status: number,
  body: unknown,
  { headers = {}, noted = {} }: { readonly headers?: Readonly<Record<string, string>>; readonly noted?: Noted } = {},
): IdentityAnswer {
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers, Vary: "X-Auth-Token" },
    body: JSON.stringify(body),
    noted,
  };
}

/** An answer of Keystone's error shape. */
export function errorAnswer(status: number, message: string, noted: Noted = {}): IdentityAnswer {
  return jsonAnswer(status, { error: { code: status, message, title: TITLES[status] ?? "Error" } }, { noted });
}

/** The one 401, whatever the cause: only the journal is told. Its address comes from the Host header, as Keystone's does. */
export function unauthorized(request: IdentityRequest, noted: Noted, message?: string, more: object = {}): IdentityAnswer {
  const text = message ?? "The request you have made requires authentication.";
  return jsonAnswer(
    401,
    { error: { code: 401, ...more, message: text, title: "Unauthorized" } },
    { headers: { "WWW-Authenticate": `Keystone uri="${request.origin}${MOUNT}/v3"` }, noted },
  );
}

/** 400 for a part that is missing. */
export function expecting(attribute: string, target: string): IdentityAnswer {
  return errorAnswer(
    400,
    `Expecting to find ${attribute} in ${target}. The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.`,
    { reason: "malformed_request" },
  );
}

/** 403 for a request that the policy does not allow. */
export function forbidden(action: string, noted: Noted = {}): IdentityAnswer {
  return errorAnswer(403, `You are not authorized to perform the requested action: ${action}.`, noted);
}

/** Flat, unlike the other errors. */
export function methodNotAllowed(allow: string): IdentityAnswer {
  return jsonAnswer(405, { message: "The method is not allowed for the requested URL." }, { headers: { Allow: allow } });
}

/** Flat as well, and Keystone's limit. */
export function requestTooLarge(): IdentityAnswer {
  const title = "Request Entity Too Large";
  return jsonAnswer(413, {
    message: `Request is too large. Larger than max_request_body_size (${MAX_REQUEST_BODY_BYTES}).<br /><br />\n\n\n`,
    code: `413 ${title}`,
    title,
  });
}

/** Larger request bodies are refused. */
export const MAX_REQUEST_BODY_BYTES = 114_688;

/** Under the mount, an unknown path is HTML. */
export function notFoundPage(): IdentityAnswer {
  return {
    status: 404,
    headers: { "Content-Type": "text/html; charset=utf-8", Vary: "X-Auth-Token" },
    body: "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>\n",
    noted: {},
  };
}

/** Beside the mount, it is plain text, and not Keystone's. */
export function notMounted(): IdentityAnswer {
  return { status: 404, headers: { "Content-Type": "text/plain" }, body: "not found\n", noted: {} };
}
