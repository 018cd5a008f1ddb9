import { type FaultRow, forEver, once, passing, times } from "./fault-row";
import { all, ECHOING_BODY, echoingHeader, hugeBody, redirect, status } from "./faults";

/** The service refuses, and asking again would not help or would do harm. */
const REFUSALS: readonly FaultRow[] = [
  once("401", status(401), "ERR_CREDENTIALS_REJECTED", { says: "Possible causes:" }),
  once("401 for a project", status(401), "ERR_CREDENTIALS_REJECTED", {
    ask: "project",
    says: '"web"',
  }),
  once(
    "401 that echoes the password in body and request id",
    all(status(401), ECHOING_BODY, echoingHeader("x-openstack-request-id")),
    "ERR_CREDENTIALS_REJECTED",
  ),
  once("401 with 100 MB of body", all(status(401), hugeBody()), "ERR_CREDENTIALS_REJECTED"),
  once("400 that echoes the request", all(status(400), ECHOING_BODY), "ERR_REQUEST_REFUSED", {
    says: "answered 400",
  }),
  once("403", status(403), "ERR_REQUEST_REFUSED", { says: "answered 403" }),
  once("404 in HTML", status(404), "ERR_ENDPOINT_NOT_FOUND", { says: "/identity/v3" }),
  once("405", status(405), "ERR_REQUEST_REFUSED"),
  once("408", status(408), "ERR_REQUEST_REFUSED"),
  once("413", status(413), "ERR_REQUEST_REFUSED"),
  once(
    "451, with an escape for terminals as body",
    () => ({ status: 451, body: "\u001b[2J::error::x" }),
    "ERR_REQUEST_REFUSED",
  ),
  once("200 with a page of a proxy", status(200), "ERR_ANSWER_UNEXPECTED", {
    says: "answered 200",
  }),
  once("202", status(202), "ERR_ANSWER_UNEXPECTED"),
  once("204", status(204), "ERR_ANSWER_UNEXPECTED"),
  once("600, which is not a status", status(600), "ERR_ANSWER_UNEXPECTED"),
];

const REDIRECTS: readonly FaultRow[] = [
  once(
    "redirect to itself",
    redirect(307, ({ path }) => path),
    "ERR_REDIRECTED",
  ),
  once(
    "redirect to http",
    redirect(307, ({ path, headers }) => `http://${headers.host}${path}`),
    "ERR_REDIRECTED",
    { https: true },
  ),
  once(
    "redirect to another host",
    redirect(308, ({ path }) => `https://elsewhere.invalid${path}`),
    "ERR_REDIRECTED",
  ),
  once(
    "301, after which browsers send GET",
    redirect(301, ({ path }) => `https://elsewhere.invalid${path}`),
    "ERR_REDIRECTED",
  ),
  once(
    "redirect to a place that is none",
    redirect(307, () => "javascript:x"),
    "ERR_REDIRECTED",
  ),
];

/** Faults that may pass by themselves are tried again for 20 s, with growing waits. */
const PASSING: readonly FaultRow[] = [
  passing("500, once", status(500), 125),
  {
    fault: "502, 503 and 504",
    script: [status(502), status(503), status(504)],
    tries: 4,
    waits: [125, 250, 500],
    ends: "token",
  },
  forEver("500", status(500), "ERR_SERVICE_FAILED", { says: "answered 500 after 10 tries" }),
  forEver("599", status(599), "ERR_SERVICE_FAILED"),
  forEver("500 that echoes the request", all(status(500), ECHOING_BODY), "ERR_SERVICE_FAILED"),
  {
    fault: "500, then 401",
    script: [status(500), status(401)],
    tries: 2,
    waits: [125],
    ends: "ERR_CREDENTIALS_REJECTED",
    says: "500, 401",
  },
  passing("429, once", status(429), 125),
  forEver("429", status(429), "ERR_RATE_LIMITED", { says: "answered 429 after 10 tries" }),
  passing("429 with Retry-After: 5", status(429, 5), 5125),
  passing("503 with Retry-After: 5", status(503, 5), 5125),
  passing("503 with Retry-After: 0", status(503, 0), 125),
  passing("429 with Retry-After as a date in 7 s", status(429, { inSeconds: 7 }), 7125),
  passing("503 with Retry-After as a date in the past", status(503, { inSeconds: -3600 }), 125),
  passing("429 with Retry-After: soon", status(429, "soon"), 125),
  passing("429 with Retry-After: -5", status(429, "-5"), 125),
  passing("429 with Retry-After: 1e400", status(429, "1e400"), 125),
  once("429 with Retry-After: 3600", status(429, 3600), "ERR_RATE_LIMITED", {
    says: "Retry-After is 1 h, and the provider waits at most 1 min",
  }),
  once(
    "503 with Retry-After as a date in an hour",
    status(503, { inSeconds: 3600 }),
    "ERR_SERVICE_FAILED",
    { says: "Retry-After is 1 h, and the provider waits at most 1 min" },
  ),
  once("429 with Retry-After: 59, more than is left", status(429, 59), "ERR_RATE_LIMITED", {
    says: "of the 20 s for all tries",
  }),
  {
    fault: "503 with Retry-After: 12, twice",
    script: times(2, status(503, 12)),
    tries: 2,
    waits: [12125],
    ends: "ERR_SERVICE_FAILED",
    says: "of the 20 s for all tries",
  },
];

export const STATUS_ROWS: readonly FaultRow[] = [...REFUSALS, ...REDIRECTS, ...PASSING];
