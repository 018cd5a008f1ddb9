import { type FaultRow, IMPATIENT, once } from "./fault-row";
import {
  AGED,
  COMPRESSED_BODY,
  CUT_BODY,
  DEEP_BODY,
  doubledHeader,
  drip,
  ECHOING_BODY,
  EMPTY_HEADER,
  ENDLESS,
  EXPIRED,
  echoingHeader,
  hugeBody,
  joinedHeader,
  longHeader,
  MANY_HEADERS,
  NO_BODY,
  NO_EXPIRY,
  NON_ASCII_HEADER,
  NOT_JSON,
  OTHER_ACCOUNT,
  OTHER_PROJECT,
  OTHER_SCOPE,
  replacedHeader,
  UNPRINTABLE_HEADER,
  WHOLE_SYSTEM,
  WRONG_TYPES,
  withoutHeader,
} from "./faults";

/**
 * 201 means that a token was issued: whatever is wrong with the answer, no second token is
 * requested.
 */
const HEADERS: readonly FaultRow[] = [
  once("201 without X-Subject-Token", withoutHeader(), "ERR_TOKEN_HEADER_INVALID"),
  once("201 with an empty X-Subject-Token", EMPTY_HEADER, "ERR_TOKEN_HEADER_INVALID"),
  once("201 with the same X-Subject-Token twice", doubledHeader(), "ERR_TOKEN_HEADER_INVALID"),
  once("201 with two X-Subject-Tokens", doubledHeader("unasked-token"), "ERR_TOKEN_HEADER_INVALID"),
  once(
    "201 with two that a proxy joined",
    joinedHeader("unasked-token"),
    "ERR_TOKEN_HEADER_INVALID",
  ),
  once("201 with a token of 10,000 characters", longHeader(10_000), "ERR_TOKEN_HEADER_INVALID", {
    says: "10000 characters",
  }),
  once("201 with a token of 100,000 characters", longHeader(), "ERR_ANSWER_UNEXPECTED"),
  once("201 with a control character in the token", UNPRINTABLE_HEADER, "ERR_ANSWER_UNEXPECTED"),
  once("201 with a byte above ASCII in the token", NON_ASCII_HEADER, "ERR_TOKEN_HEADER_INVALID"),
  once("201 with the password as token", echoingHeader(), "ERR_TOKEN_HEADER_INVALID"),
  once("201 with the password as request id", echoingHeader("x-openstack-request-id"), "token"),
  once("201 without Date", withoutHeader("date"), "token"),
  once(
    "201 with a Date of ten minutes ago",
    replacedHeader("date", "Fri, 20 Nov 2026 11:50:00 GMT"),
    "token",
    { says: "clock is 10 min ahead" },
  ),
  once("201 with a Date that is none", replacedHeader("date", "yesterday"), "token"),
  once("100,000 header lines", MANY_HEADERS, "ERR_ANSWER_UNEXPECTED"),
];

/**
 * The spec does not show the body: one that says nothing is ignored, one that says something else
 * is believed.
 */
const BODIES: readonly FaultRow[] = [
  once("no body", NO_BODY, "token"),
  once("a body that is cut off", CUT_BODY, "token"),
  once("a body that is not JSON", NOT_JSON, "token"),
  once("a body that echoes the request", ECHOING_BODY, "token"),
  once("a compressed body, unasked", COMPRESSED_BODY, "token"),
  once("a body with nonsense for values", WRONG_TYPES, "token"),
  once("a body nested 100,000 levels", DEEP_BODY, "token"),
  once("a body without expires_at", NO_EXPIRY, "token"),
  once("expires_at in ten years", ENDLESS, "token", { lives: 24 }),
  once("a token that was issued 20 hours ago", AGED, "token"),
  once("expires_at an hour ago", EXPIRED, "ERR_TOKEN_EXPIRED"),
  {
    fault: "a shorter life than min_remaining",
    script: [],
    minRemainingHours: 25,
    tries: 1,
    ends: "ERR_LIFETIME_TOO_SHORT",
    says: "min_remaining is 1 d 1 h",
    afterwards: "remembers",
  },
  once("a project's token, the account's was requested", OTHER_SCOPE, "ERR_SCOPE_MISMATCH", {
    says: "issued one for a project",
  }),
  once("the account's token, a project's was requested", OTHER_SCOPE, "ERR_SCOPE_MISMATCH", {
    ask: "project",
    says: "issued one for an account",
  }),
  once("another project's token", OTHER_PROJECT, "ERR_SCOPE_MISMATCH", {
    ask: "project",
    says: "another project",
  }),
  once("another account's token", OTHER_ACCOUNT, "ERR_SCOPE_MISMATCH", {
    says: "another account",
  }),
  once("a project's token of another account", OTHER_ACCOUNT, "ERR_SCOPE_MISMATCH", {
    ask: "project",
  }),
  once("a token of the whole system", WHOLE_SYSTEM, "ERR_SCOPE_MISMATCH", {
    says: "the whole system",
  }),
  once("a body of 100 MB", hugeBody(), "ERR_ANSWER_INCOMPLETE"),
  once("a body of 100 MB without Content-Length", hugeBody(false), "ERR_ANSWER_INCOMPLETE"),
  once("a body that drips", drip("body"), "ERR_ANSWER_INCOMPLETE", { limits: IMPATIENT }),
];

export const ANSWER_ROWS: readonly FaultRow[] = [...HEADERS, ...BODIES];
