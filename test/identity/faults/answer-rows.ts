import { type FaultRow, IMPATIENT } from "./fault-row";
import {
  COMPRESSED_BODY,
  DEEP_BODY,
  drip,
  ECHOING_BODY,
  ENDLESS,
  echoingHeader,
  hugeBody,
  joinedHeader,
  longHeader,
  MANY_HEADERS,
  NO_EXPIRY,
  NON_ASCII_HEADER,
  UNPRINTABLE_HEADER,
  WHOLE_SYSTEM,
  WRONG_TYPES,
} from "./own-faults";

/**
 * 201 means that a token was issued: whatever is wrong with the answer, no second token is
 * requested.
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
    script: [joinedHeader("unasked-token")],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_DUPLICATED",
  },
  {
    fault: "201 with a token of 10,000 characters",
    script: [longHeader(10_000)],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_TOO_LARGE",
    says: "10000 characters",
  },
  {
    fault: "201 with a token of 100,000 characters",
    script: [longHeader()],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_TOO_LARGE",
  },
  {
    fault: "201 with a control character in the token",
    script: [UNPRINTABLE_HEADER],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_UNPRINTABLE",
  },
  {
    fault: "201 with a byte above ASCII in the token",
    script: [NON_ASCII_HEADER],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_UNPRINTABLE",
  },
  {
    fault: "201 with the password as token",
    script: [echoingHeader()],
    tries: 1,
    ends: "ERR_TOKEN_HEADER_ECHOED",
  },
  {
    fault: "201 with the password as request id",
    script: [echoingHeader("x-openstack-request-id")],
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
    script: [MANY_HEADERS],
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
    script: [ECHOING_BODY],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a compressed body, unasked",
    script: [COMPRESSED_BODY],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body with nonsense for values",
    script: [WRONG_TYPES],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body nested 100,000 levels",
    script: [DEEP_BODY],
    tries: 1,
    ends: "token",
  },
  {
    fault: "a body without expires_at",
    script: [NO_EXPIRY],
    tries: 1,
    ends: "token",
  },
  {
    fault: "expires_at in ten years",
    script: [ENDLESS],
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
    says: "min_remaining is 1 d 1 h",
    afterwards: "remembers",
  },
  {
    fault: "a project's token, the account's was requested",
    script: [{ kind: "body", how: "other_scope" }],
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "issued one for a project",
  },
  {
    fault: "the account's token, a project's was requested",
    script: [{ kind: "body", how: "other_scope" }],
    ask: "project",
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "issued one for an account",
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
    script: [WHOLE_SYSTEM],
    tries: 1,
    ends: "ERR_SCOPE_MISMATCH",
    says: "the whole system",
  },
  {
    fault: "a body of 100 MB",
    script: [hugeBody()],
    tries: 1,
    ends: "ERR_ANSWER_TOO_LARGE",
  },
  {
    fault: "a body of 100 MB without Content-Length",
    script: [hugeBody(false)],
    tries: 1,
    ends: "ERR_ANSWER_TOO_LARGE",
  },
  {
    fault: "a body that drips",
    script: [drip("body")],
    limits: IMPATIENT,
    tries: 1,
    ends: "ERR_ANSWER_TOO_SLOW",
  },
];

export const ANSWER_ROWS: readonly FaultRow[] = [...HEADERS, ...BODIES];
