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
  return textAnswer(status, toSpacedJson(body), { ...JSON_TYPE, ...headers }, noted);
}

/** An answer of Keystone's error shape. */
export function errorAnswer(
  status: number,
  message: string,
  noted: Noted = {},
  more: object = {},
): IdentityAnswer {
  const error = { code: status, ...more, message, title: titleOf(status) };
  const body = `${toAscii(JSON.stringify({ error }))}\n`;
  return textAnswer(status, body, JSON_TYPE, noted);
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

/** Flat, unlike the other errors; HTML for the versions. */
export function methodNotAllowed(allow: string, form: "json" | "html"): IdentityAnswer {
  const message = "The method is not allowed for the requested URL.";
  if (form === "html")
    return textAnswer(405, toPage("405 Method Not Allowed", message), { ...HTML, Allow: allow });
  return textAnswer(405, `${toSpacedJson({ message })}\n`, { ...JSON_TYPE, Allow: allow });
}

/** The answer to OPTIONS. */
export function options(allow: string): IdentityAnswer {
  return textAnswer(200, "", { ...HTML, Allow: allow });
}

/**
 * The answer to OPTIONS where Keystone has none, for an unknown path or with a body that it
 * refuses: the server around Keystone gives it.
 */
export function bareOptions(): IdentityAnswer {
  return aroundKeystone(200, "", {});
}

/** Below Keystone's path, an unknown path gets HTML. */
export function notFoundPage(): IdentityAnswer {
  const message =
    "The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.";
  return textAnswer(404, toPage("404 Not Found", message), HTML);
}

/** Elsewhere, it gets plain text that is not from Keystone. */
export function notMounted(): IdentityAnswer {
  return aroundKeystone(404, "not found\n", { "Content-Type": "text/plain" });
}

/** The server around Keystone has caught an exception, and closes the connection. */
export function serverError(noted: Noted): IdentityAnswer {
  const page =
    "<html>\n  <head>\n    <title>Internal Server Error</title>\n  </head>\n  <body>\n    <h1><p>Internal Server Error</p></h1>\n    \n  </body>\n</html>\n";
  return {
    ...aroundKeystone(500, page, { Connection: "close", "Content-Type": "text/html" }),
    noted,
  };
}

/**
 * A request body beyond the limit: the only answer whose form depends on the Accept header. Of a
 * chunked body only the beginning is known, so its answer comes from further inside, with a request
 * id.
 */
export function requestTooLarge(headers: IdentityRequest["headers"]): IdentityAnswer {
  const title = "413 Request Entity Too Large";
  const isChunked = headers["content-length"] === undefined;
  const limit = isChunked
    ? `${MAX_REQUEST_BODY_BYTES}`
    : `max_request_body_size (${MAX_REQUEST_BODY_BYTES})`;
  const message = `Request is too large. Larger than ${limit}.`;
  const html = `${message}<br /><br />\n\n\n`;
  const [type, body] = accepts(headers.accept, "text/html")
    ? [
        "text/html; charset=UTF-8",
        `<html>\n <head>\n  <title>${title}</title>\n </head>\n <body>\n  <h1>${title}</h1>\n  ${html}\n </body>\n</html>`,
      ]
    : accepts(headers.accept, "application/json")
      ? ["application/json", toSpacedJson({ message: html, code: title, title: titleOf(413) })]
      : ["text/plain; charset=UTF-8", `${title}\n\n${message}\n\n   `];
  return { ...aroundKeystone(413, body, { "Content-Type": type }), hasRequestId: isChunked };
}

/** Python's JSON: only ASCII, a blank after commas and colons. */
function toSpacedJson(value: unknown): string {
  // A line break in a string is an escape: the real ones are between members.
  return toAscii(JSON.stringify(value, undefined, 1))
    .replace(/,\n */g, ", ")
    .replace(/\n */g, "");
}

function toAscii(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

type Headers = IdentityAnswer["headers"];
const JSON_TYPE = { "Content-Type": "application/json" };
const HTML = { "Content-Type": "text/html; charset=utf-8" };

function textAnswer(
  status: number,
  body: string,
  headers: Headers,
  noted: Noted = {},
): IdentityAnswer {
  return { status, headers: { ...headers, Vary: "X-Auth-Token" }, body, noted, hasRequestId: true };
}

function aroundKeystone(status: number, body: string, headers: Headers): IdentityAnswer {
  return { status, headers, body, noted: {}, hasRequestId: false };
}

function toPage(title: string, message: string): string {
  return `<!doctype html>\n<html lang=en>\n<title>${title}</title>\n<h1>${title.slice(4)}</h1>\n<p>${message}</p>\n`;
}

function accepts(header: string | undefined, type: string): boolean {
  const offers = (header ?? "")
    .split(",")
    .map((offer) => offer.split(";")[0]?.trim().toLowerCase());
  return [type, type.replace(/\/.*/, "/*"), "*/*"].some((wanted) => offers.includes(wanted));
}
