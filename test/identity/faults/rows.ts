import type { FaultEntry } from "../../../lib/testing";
import { type FaultRow, times } from "./fault-row";

/** The waits between four tries. */
const BACKOFF = [125, 250, 500];

/** Those of nine, before the last, which takes what is left of the time to reconnect. */
const RECONNECTING = [...BACKOFF, 1000, 2000, 4000, 4000];

/** A limit that ends what would never end by itself. */
const IMPATIENT = { requestMs: 150 };

const status = (
  code: number,
  retryAfter?: number | string | { readonly inSeconds: number },
): FaultEntry =>
  retryAfter === undefined
    ? { kind: "status", status: code }
    : { kind: "status", status: code, retryAfter };

/** The service refuses, and asking again would not help or would do harm. */
const REFUSALS: readonly FaultRow[] = [
  {
    fault: "401",
    script: [status(401)],
    tries: 1,
    ends: "ERR_CREDENTIALS_REJECTED",
    says: "Candidates:",
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
    fault: "600, which is no status",
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

/** What may pass by itself is tried again: at most 4 times, with growing waits. */
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
    says: "asks to wait 1 h, and at most 1 min is honoured",
  },
  {
    fault: "503 with Retry-After as a date in an hour",
    script: [status(503, { inSeconds: 3600 })],
    tries: 1,
    ends: "ERR_SERVICE_FAILED",
    says: "asks to wait 1 h, and at most 1 min is honoured",
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

/**
 * 201 means that a token was issued: whatever is wrong with the answer, it is not asked for once
 * more.
 */
const HEADERS: readonly FaultRow[] = [
  {
    fault: "201 without X-Subject-Token",
    script: [{ kind: "header", how: "missing" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_MISSING",
  },
  {
    fault: "201 with an empty X-Subject-Token",
    script: [{ kind: "header", how: "empty" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_EMPTY",
  },
  {
    fault: "201 with the same X-Subject-Token twice",
    script: [{ kind: "header", how: "doubled" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_DUPLICATED",
  },
  {
    fault: "201 with two X-Subject-Tokens",
    script: [{ kind: "header", how: "doubled", value: "unasked-token" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_DUPLICATED",
  },
  {
    fault: "201 with two that a proxy joined",
    script: [{ kind: "header", how: "joined", value: "unasked-token" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_DUPLICATED",
  },
  {
    fault: "201 with a token of 10,000 characters",
    script: [{ kind: "header", how: "monstrous", bytes: 10_000 }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_TOO_LARGE",
    says: "10000 characters",
  },
  {
    fault: "201 with a token of 100,000 characters",
    script: [{ kind: "header", how: "monstrous" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_TOO_LARGE",
  },
  {
    fault: "201 with a control character in the token",
    script: [{ kind: "header", how: "unprintable" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_UNPRINTABLE",
  },
  {
    fault: "201 with a byte above ASCII in the token",
    script: [{ kind: "header", how: "non_ascii" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_UNPRINTABLE",
  },
  {
    fault: "201 with the password as token",
    script: [{ kind: "header", how: "echo" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_ECHOED",
  },
  {
    fault: "201 with the password as request id",
    script: [{ kind: "header", how: "echo", name: "x-openstack-request-id" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "201 without Date",
    script: [{ kind: "header", how: "missing", name: "Date" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "201 with a Date of ten minutes ago",
    script: [
      { kind: "header", how: "replaced", name: "Date", value: "Fri, 20 Nov 2026 11:50:00 GMT" },
    ],
    tries: 1,
    ends: "token",
    says: "clock is 10 min ahead",
  },
  {
    fault: "201 with a Date that is none",
    script: [{ kind: "header", how: "replaced", name: "Date", value: "yesterday" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "100,000 header lines",
    script: [{ kind: "many_headers" }],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_TOO_LARGE",
  },
];

/**
 * The spec does not show the body: one that says nothing is ignored, one that says something else
 * is believed.
 */
const BODIES: readonly FaultRow[] = [
  { fault: "no body", script: [{ kind: "body", how: "empty" }], tries: 1, ends: "token" },
  {
    fault: "a body that is cut off",
    script: [{ kind: "body", how: "cut" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body that is not JSON",
    script: [{ kind: "body", how: "not_json" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body that echoes the request",
    script: [{ kind: "body", how: "echo" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a compressed body, unasked",
    script: [{ kind: "body", how: "compressed" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body with nonsense for values",
    script: [{ kind: "body", how: "wrong_types" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body nested 100,000 levels",
    script: [{ kind: "body", how: "deep" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body without expires_at",
    script: [{ kind: "body", how: "no_expiry" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "expires_at in ten years",
    script: [{ kind: "body", how: "endless" }],
    tries: 1,
    ends: "token",
    lives: 24,
  },
  {
    fault: "a token that was issued 20 hours ago",
    script: [{ kind: "body", how: "aged" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "expires_at an hour ago",
    script: [{ kind: "body", how: "expired" }],
    tries: 1,
    ends: "ERR_TOKEN_EXPIRED",
  },
  {
    fault: "a shorter life than min_remaining",
    script: [],
    minRemainingHours: 25,
    tries: 1,
    ends: "ERR_LIFETIME_TOO_SHORT",
    says: "asks for 1 d 1 h",
    afterwards: "remembers",
  },
  {
    fault: "a project's token, the account's was asked for",
    script: [{ kind: "body", how: "other_scope" }],
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "issued one of a project",
  },
  {
    fault: "the account's token, a project's was asked for",
    script: [{ kind: "body", how: "other_scope" }],
    ask: "project",
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "issued one of an account",
  },
  {
    fault: "another project's token",
    script: [{ kind: "body", how: "other_project" }],
    ask: "project",
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "another project",
  },
  {
    fault: "another account's token",
    script: [{ kind: "body", how: "other_account" }],
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "another account",
  },
  {
    fault: "a project's token of another account",
    script: [{ kind: "body", how: "other_account" }],
    ask: "project",
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
  },
  {
    fault: "a token of the whole system",
    script: [{ kind: "body", how: "whole_system" }],
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "the whole system",
  },
  {
    fault: "a body of 100 MB",
    script: [{ kind: "huge_body" }],
    tries: 1,
    ends: "ERR_ANSWER_TOO_LARGE",
  },
  {
    fault: "a body of 100 MB whose length is not told",
    script: [{ kind: "huge_body", told: false }],
    tries: 1,
    ends: "ERR_ANSWER_TOO_LARGE",
  },
  {
    fault: "a body that drips",
    script: [{ kind: "drip", part: "body" }],
    limits: IMPATIENT,
    tries: 1,
    ends: "ERR_ANSWER_TOO_SLOW",
  },
];

/** Below HTTP. */
const CONNECTIONS: readonly FaultRow[] = [
  {
    fault: "reset before the head, once",
    script: [{ kind: "reset" }],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "reset before the head, for ever",
    script: times(9, { kind: "reset" }),
    tries: 9,
    waits: RECONNECTING,
    untilMs: 15_000,
    ends: "ERR_CONNECTION_FAILED",
    says: "after 9 tries",
  },
  {
    fault: "reset in the head, for ever",
    script: times(9, { kind: "reset", when: "in_head" }),
    tries: 9,
    waits: RECONNECTING,
    untilMs: 15_000,
    ends: "ERR_CONNECTION_FAILED",
  },
  {
    fault: "reset after the head",
    script: [{ kind: "reset", when: "after_head" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "reset in the body",
    script: [{ kind: "reset", when: "in_body" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "reset after the answer",
    script: [{ kind: "reset", when: "after_body" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "closed before the head, for ever",
    script: times(9, { kind: "close" }),
    tries: 9,
    waits: RECONNECTING,
    untilMs: 15_000,
    ends: "ERR_CONNECTION_FAILED",
  },
  {
    fault: "closed in the head, once",
    script: [{ kind: "close", when: "in_head" }],
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "closed after the head",
    script: [{ kind: "close", when: "after_head" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "closed in the body",
    script: [{ kind: "close", when: "in_body" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "closed after the answer",
    script: [{ kind: "close", when: "after_body" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "silence, once",
    script: [{ kind: "silence" }],
    limits: IMPATIENT,
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "silence, for ever",
    script: times(4, { kind: "silence" }),
    limits: IMPATIENT,
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_NO_ANSWER",
    says: "did not answer within 0.15 s",
  },
  {
    fault: "silence in the head, for ever",
    script: times(4, { kind: "silence", when: "in_head" }),
    limits: IMPATIENT,
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_NO_ANSWER",
  },
  {
    fault: "silence after the head",
    script: [{ kind: "silence", when: "after_head" }],
    limits: IMPATIENT,
    tries: 1,
    ends: "ERR_ANSWER_TOO_SLOW",
  },
  {
    fault: "silence in the body",
    script: [{ kind: "silence", when: "in_body" }],
    limits: IMPATIENT,
    tries: 1,
    ends: "ERR_ANSWER_TOO_SLOW",
  },
  {
    fault: "an answer that comes too late, once",
    script: [{ kind: "late", milliseconds: 600_000 }],
    limits: IMPATIENT,
    tries: 2,
    waits: [125],
    ends: "token",
  },
  {
    fault: "a head that drips, for ever",
    script: times(4, { kind: "drip", part: "head" }),
    limits: IMPATIENT,
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_NO_ANSWER",
  },
  {
    fault: "102 for ever",
    script: times(4, { kind: "informational", status: 102, times: 100_000, everyMs: 10 }),
    limits: IMPATIENT,
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_NO_ANSWER",
  },
  {
    fault: "103 before the answer",
    script: [{ kind: "informational", status: 103 }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "100 before the answer, unasked",
    script: [{ kind: "informational", status: 100 }],
    tries: 1,
    ends: "ERR_ANSWER_UNEXPECTED",
  },
  { fault: "HTTP/1.0", script: [{ kind: "http_1_0" }], tries: 1, ends: "token" },
  {
    fault: "no HTTP",
    script: [{ kind: "not_http" }],
    tries: 1,
    ends: "ERR_ANSWER_UNEXPECTED",
    says: "not HTTP",
  },
  { fault: "a body in chunks", script: [{ kind: "chunks", how: "fine" }], tries: 1, ends: "token" },
  {
    fault: "a chunk whose size is none",
    script: [{ kind: "chunks", how: "bad_size" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a chunk that is cut off",
    script: [{ kind: "chunks", how: "cut" }],
    tries: 1,
    ends: "token",
  },
  {
    fault: "chunks without an end",
    script: [{ kind: "chunks", how: "no_end" }],
    limits: IMPATIENT,
    tries: 1,
    ends: "ERR_ANSWER_TOO_SLOW",
  },
  {
    fault: "a second answer behind the first, unasked",
    script: [{ kind: "extra_answer" }],
    tries: 1,
    ends: "token",
  },
];

/** TLS is not tried again: it says what it is, and the password was not sent. */
const TLS: readonly FaultRow[] = [
  {
    fault: "a certificate that has expired",
    script: [{ kind: "tls", how: "expired" }],
    https: true,
    tries: 1,
    ends: "ERR_TLS_FAILED",
    says: "(CERT_HAS_EXPIRED). Compare this machine's clock",
  },
  {
    fault: "a certificate that is not valid yet",
    script: [{ kind: "tls", how: "not_yet_valid" }],
    https: true,
    tries: 1,
    ends: "ERR_TLS_FAILED",
    says: "CERT_NOT_YET_VALID",
  },
  {
    fault: "a certificate for another host",
    script: [{ kind: "tls", how: "wrong_name" }],
    https: true,
    tries: 1,
    ends: "ERR_TLS_FAILED",
    says: "(ERR_TLS_CERT_ALTNAME_INVALID). Give the address by a name",
  },
  {
    fault: "a certificate of an unknown CA",
    script: [{ kind: "tls", how: "unknown_ca" }],
    https: true,
    tries: 1,
    ends: "ERR_TLS_FAILED",
  },
  {
    fault: "TLS 1.1",
    script: [{ kind: "tls", how: "too_old" }],
    https: true,
    tries: 1,
    ends: "ERR_TLS_FAILED",
  },
  {
    fault: "http on the port of https",
    script: [{ kind: "tls", how: "not_tls" }],
    https: true,
    tries: 1,
    ends: "ERR_TLS_FAILED",
    says: "Check the port",
  },
  {
    fault: "a handshake that is never answered, for ever",
    script: times(4, { kind: "tls", how: "silent" }),
    https: true,
    limits: { connectMs: 150 },
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_CONNECTION_FAILED",
    says: "within 0.15 s",
  },
  {
    fault: "503, then a certificate that has expired",
    script: [status(503), { kind: "tls", how: "expired" }],
    https: true,
    tries: 2,
    waits: [125],
    ends: "ERR_TLS_FAILED",
    says: "(503, CERT_HAS_EXPIRED)",
  },
];

const PROXIES: readonly FaultRow[] = [
  {
    fault: "a proxy that wants credentials (407)",
    script: [],
    https: true,
    proxy: { status: 407 },
    tries: 1,
    ends: "ERR_PROXY_REFUSED",
    says: "answered 407",
  },
  {
    fault: "a proxy that forbids (403)",
    script: [],
    https: true,
    proxy: { status: 403 },
    tries: 1,
    ends: "ERR_PROXY_REFUSED",
  },
  {
    fault: "a proxy that finds no service (502), for ever",
    script: [],
    https: true,
    proxy: { status: 502 },
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_PROXY_REFUSED",
    says: "after 4 tries",
  },
  {
    fault: "a proxy that is too busy (503), for ever",
    script: [],
    https: true,
    proxy: { status: 503 },
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_PROXY_REFUSED",
  },
  {
    fault: "a proxy that closes, for ever",
    script: [],
    https: true,
    proxy: "close",
    tries: 9,
    waits: RECONNECTING,
    untilMs: 15_000,
    ends: "ERR_CONNECTION_FAILED",
    says: "through the proxy",
  },
  {
    fault: "a proxy that is silent, for ever",
    script: [],
    https: true,
    proxy: "hang",
    limits: { connectMs: 150 },
    tries: 4,
    waits: BACKOFF,
    ends: "ERR_CONNECTION_FAILED",
    says: "through the proxy",
  },
];

/** The specification of our client, by what may happen to it. */
export const FAULT_ROWS: readonly FaultRow[] = [
  ...REFUSALS,
  ...REDIRECTS,
  ...PASSING,
  ...HEADERS,
  ...BODIES,
  ...CONNECTIONS,
  ...TLS,
  ...PROXIES,
];
