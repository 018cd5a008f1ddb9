import type { FaultEntry } from "../../../lib/testing";
import { BACKOFF, type FaultRow, status, times } from "./fault-row";

/** The service refuses, and asking again would not help or would do harm. */
const REFUSALS: readonly FaultRow[] = [
  {
    fault: "401",
    script: [status(401)],
    tries: 1,
    ends: "ERR_CREDENTIALS_REJECTED",
    says: "Possible causes:",
  },
  {
    fault: "401 for a project",
    script: [status(401)],
    ask: "project",
    tries: 1,
    ends: "ERR_CREDENTIALS_REJECTED",
    says: '"web"',
  },
  {
    fault: "401 that echoes the password in body and request id",
    script: [
      [
        { kind: "status", status: 401, headers: { "x-openstack-request-id": "x" } },
        { kind: "body", how: "echo" },
        { kind: "header", how: "echo", name: "x-openstack-request-id" },
      ],
    ],
    tries: 1,
    ends: "ERR_CREDENTIALS_REJECTED",
  },
  {
    fault: "401 with 100 MB of body",
    script: [[status(401), { kind: "huge_body" }].flat() as FaultEntry],
    tries: 1,
    ends: "ERR_CREDENTIALS_REJECTED",
  },
  {
    fault: "400 that echoes the request",
    script: [
      [
        { kind: "status", status: 400 },
        { kind: "body", how: "echo" },
      ],
    ],
    tries: 1,
    ends: "ERR_REQUEST_REFUSED",
    says: "answered 400",
  },
  {
    fault: "403",
    script: [status(403)],
    tries: 1,
    ends: "ERR_REQUEST_REFUSED",
    says: "answered 403",
  },
  {
    fault: "404 in HTML",
    script: [status(404)],
    tries: 1,
    ends: "ERR_ENDPOINT_NOT_FOUND",
    says: "/identity/v3",
  },
  { fault: "405", script: [status(405)], tries: 1, ends: "ERR_REQUEST_REFUSED" },
  { fault: "408", script: [status(408)], tries: 1, ends: "ERR_REQUEST_REFUSED" },
  { fault: "413", script: [status(413)], tries: 1, ends: "ERR_REQUEST_REFUSED" },
  {
    fault: "451, with an escape for terminals as body",
    script: [{ kind: "status", status: 451, body: "\u001b[2J::error::x" }],
    tries: 1,
    ends: "ERR_REQUEST_REFUSED",
  },
  {
    fault: "200 with a page of a proxy",
    script: [status(200)],
    tries: 1,
    ends: "ERR_ANSWER_UNEXPECTED",
    says: "answered 200",
  },
  { fault: "202", script: [status(202)], tries: 1, ends: "ERR_ANSWER_UNEXPECTED" },
  { fault: "204", script: [status(204)], tries: 1, ends: "ERR_ANSWER_UNEXPECTED" },
  {
    fault: "600, which is not a status",
    script: [status(600)],
    tries: 1,
    ends: "ERR_ANSWER_UNEXPECTED",
  },
];

const REDIRECTS: readonly FaultRow[] = [
  {
    fault: "redirect to itself",
    script: [{ kind: "redirect", to: "itself" }],
    tries: 1,
    ends: "ERR_REDIRECTED",
  },
  {
    fault: "redirect to http",
    script: [{ kind: "redirect", to: "http" }],
    https: true,
    tries: 1,
    ends: "ERR_REDIRECTED",
  },
  {
    fault: "redirect to another host",
    script: [{ kind: "redirect", to: "other_host", status: 308 }],
    tries: 1,
    ends: "ERR_REDIRECTED",
  },
  {
    fault: "301, after which browsers send GET",
    script: [{ kind: "redirect", to: "other_host", status: 301 }],
    tries: 1,
    ends: "ERR_REDIRECTED",
  },
  {
    fault: "redirect to a place that is none",
    script: [{ kind: "redirect", to: { url: "javascript:x" } }],
    tries: 1,
    ends: "ERR_REDIRECTED",
  },
];

/** Faults that may pass by themselves are tried again: at most 4 times, with growing waits. */
const PASSING: readonly FaultRow[] = [
  { fault: "500, once", script: [status(500)], tries: 2, waits: [125], ends: "token" },
  {
    fault: "502, 503 and 504",
    script: [status(502), status(503), status(504)],
    tries: 4,
    waits: BACKOFF,
    ends: "token",
  },
  {
    fault: "500, for ever",
    script: times(4, status(500)),
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_SERVICE_FAILED",
    says: "answered 500 after 4 tries",
  },
  {
    fault: "599, for ever",
    script: times(4, status(599)),
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_SERVICE_FAILED",
  },
  {
    fault: "500 that echoes the request, for ever",
    script: times(4, [
      { kind: "status", status: 500 },
      { kind: "body", how: "echo" },
    ]),
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_SERVICE_FAILED",
  },
  {
    fault: "500, then 401",
    script: [status(500), status(401)],
    tries: 2,
    waits: [125],
    ends: "ERR_CREDENTIALS_REJECTED",
    says: "500, 401",
  },
  { fault: "429, once", script: [status(429)], tries: 2, waits: [125], ends: "token" },
  {
    fault: "429, for ever",
    script: times(4, status(429)),
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_RATE_LIMITED",
    says: "answered 429 after 4 tries",
  },
  {
    fault: "429 with Retry-After: 5",
    script: [status(429, 5)],
    tries: 2,
    waits: [5125],
    ends: "token",
  },
  {
    fault: "503 with Retry-After: 5",
    script: [status(503, 5)],
    tries: 2,
    waits: [5125],
    ends: "token",
  },
  {
    fault: "503 with Retry-After: 0",
    script: [status(503, 0)],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "429 with Retry-After as a date in 7 s",
    script: [status(429, { inSeconds: 7 })],
    tries: 2,
    waits: [7125],
    ends: "token",
  },
  {
    fault: "503 with Retry-After as a date in the past",
    script: [status(503, { inSeconds: -3600 })],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "429 with Retry-After: soon",
    script: [status(429, "soon")],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "429 with Retry-After: -5",
    script: [status(429, "-5")],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "429 with Retry-After: 1e400",
    script: [status(429, "1e400")],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "429 with Retry-After: 3600",
    script: [status(429, 3600)],
    tries: 1,
    ends: "ERR_RATE_LIMITED",
    says: "Retry-After is 1 h, and the provider waits at most 1 min",
  },
  {
    fault: "503 with Retry-After as a date in an hour",
    script: [status(503, { inSeconds: 3600 })],
    tries: 1,
    ends: "ERR_SERVICE_FAILED",
    says: "Retry-After is 1 h, and the provider waits at most 1 min",
  },
  {
    fault: "429 with Retry-After: 59, more than is left",
    script: [status(429, 59)],
    tries: 1,
    ends: "ERR_RATE_LIMITED",
    says: "of the 30 s for all tries",
  },
  {
    fault: "503 with Retry-After: 12, three times",
    script: times(3, status(503, 12)),
    tries: 3,
    waits: [12125, 12125],
    ends: "ERR_SERVICE_FAILED",
    says: "of the 30 s for all tries",
  },
];

export const STATUS_ROWS: readonly FaultRow[] = [...REFUSALS, ...REDIRECTS, ...PASSING];
