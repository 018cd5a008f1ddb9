import type { Behaviour } from "../support/connect-proxy";
import type { TlsFault } from "../support/tls-front";
import {
  type FaultRow,
  forEver,
  IMPATIENT,
  once,
  passing,
  times,
  UNTIL_THE_END,
} from "./fault-row";
import {
  all,
  breakAt,
  COMPRESSED_BODY,
  chunks,
  drip,
  ECHOING_BODY,
  EXTRA_ANSWER,
  echoingHeader,
  HTTP_1_0,
  informational,
  longHeader,
  MANY_HEADERS,
  NON_ASCII_HEADER,
  NOT_HTTP,
  redirect,
  status,
  UNPRINTABLE_HEADER,
} from "./faults";

/** Those that repeat what they got, and those after which there is a next request or none. */
const STATUSES: readonly FaultRow[] = [
  once(
    "401 that echoes the password in body and request id",
    all(status(401), ECHOING_BODY, echoingHeader("x-openstack-request-id")),
    "ERR_CREDENTIALS_REJECTED",
    { says: "Possible causes:" },
  ),
  once("400 that echoes the request", all(status(400), ECHOING_BODY), "ERR_REQUEST_REFUSED", {
    says: "answered 400",
  }),
  once(
    "redirect to another host",
    redirect(308, ({ path }) => `https://elsewhere.invalid${path}`),
    "ERR_REDIRECTED",
  ),
  forEver("500 that echoes the request", all(status(500), ECHOING_BODY), "ERR_SERVICE_FAILED", {
    says: "answered 500 after 10 tries",
  }),
  {
    fault: "500, then 401",
    script: [status(500), status(401)],
    tries: 2,
    waits: [125],
    ends: "ERR_CREDENTIALS_REJECTED",
    says: "500, 401",
  },
  passing("429 with Retry-After: 5", status(429, 5), 5125),
  {
    fault: "503 with Retry-After: 12, twice",
    script: times(2, status(503, 12)),
    tries: 2,
    waits: [12125],
    ends: "ERR_SERVICE_FAILED",
    says: "of the 20 s for all tries",
  },
];

/** 201 means that a token was issued: whatever is wrong with it, no second one is requested. */
const ANSWERS: readonly FaultRow[] = [
  once("a token of 100,000 characters", longHeader(), "ERR_ANSWER_UNEXPECTED"),
  once("a control character in the token", UNPRINTABLE_HEADER, "ERR_ANSWER_UNEXPECTED"),
  once("a byte above ASCII in the token", NON_ASCII_HEADER, "ERR_TOKEN_HEADER_INVALID"),
  once("the password as token", echoingHeader(), "ERR_TOKEN_HEADER_INVALID"),
  once("100,000 header lines", MANY_HEADERS, "ERR_ANSWER_UNEXPECTED"),
  once("a body that echoes the request", ECHOING_BODY, "token"),
  once("a compressed body, unasked", COMPRESSED_BODY, "token", { says: "is compressed" }),
  once("a body that drips", drip("body"), "ERR_ANSWER_INCOMPLETE", { limits: IMPATIENT }),
];

/** Below HTTP. */
const CONNECTIONS: readonly FaultRow[] = [
  passing("reset before the head, once", breakAt("reset", "before the head"), 125),
  forEver("reset before the head", breakAt("reset", "before the head"), "ERR_CONNECTION_FAILED", {
    says: "after 10 tries",
  }),
  once("reset after the head", breakAt("reset", "after the head"), "token", {
    says: "was cut off",
  }),
  once("reset in the body", breakAt("reset", "in the body"), "token", { says: "was cut off" }),
  forEver("closed before the head", breakAt("close", "before the head"), "ERR_CONNECTION_FAILED"),
  passing("closed in the head, once", breakAt("close", "in the head"), 125),
  passing("silence, once", breakAt("silence", "before the head"), 125, { limits: IMPATIENT }),
  forEver("silence", breakAt("silence", "before the head"), "ERR_NO_ANSWER", {
    limits: IMPATIENT,
    says: "did not answer within {requestMs}",
  }),
  once("silence after the head", breakAt("silence", "after the head"), "ERR_ANSWER_INCOMPLETE", {
    limits: IMPATIENT,
  }),
  forEver("a head that drips", drip("head"), "ERR_NO_ANSWER", { limits: IMPATIENT }),
  forEver("102", informational(102, 100_000, 10), "ERR_NO_ANSWER", { limits: IMPATIENT }),
  once("103 before the answer", informational(103), "token"),
  once("100 before the answer, unasked", informational(100), "ERR_ANSWER_UNEXPECTED"),
  once("HTTP/1.0", HTTP_1_0, "token"),
  once("no HTTP", NOT_HTTP, "ERR_ANSWER_UNEXPECTED", { says: "not usable HTTP" }),
  once("a body in chunks", chunks("fine"), "token"),
  once("a chunk whose size is none", chunks("bad size"), "token", { says: "was cut off" }),
  once("chunks without an end", chunks("no end"), "ERR_ANSWER_INCOMPLETE", { limits: IMPATIENT }),
  once("a second answer behind the first, unasked", EXTRA_ANSWER, "token"),
];

const tls = (how: TlsFault) => ({ tls: how });
const refused = (fault: string, how: TlsFault, more: Partial<FaultRow> = {}) =>
  once(fault, tls(how), "ERR_TLS_FAILED", { https: true, ...more });

/** TLS is not tried again: its error is definite, and the password was not sent. */
const TLS: readonly FaultRow[] = [
  refused("a certificate that has expired", "expired", {
    says: "(CERT_HAS_EXPIRED). Compare this machine's clock",
  }),
  refused("a certificate that is not valid yet", "not_yet_valid", { says: "CERT_NOT_YET_VALID" }),
  refused("a certificate for another host", "wrong_name", {
    says: "(ERR_TLS_CERT_ALTNAME_INVALID). Use an address with a host name",
  }),
  refused("a certificate of an unknown CA", "unknown_ca"),
  refused("TLS 1.1", "too_old"),
  refused("http on the port of https", "not_tls", { says: "does not use TLS on this port" }),
  forEver("a handshake that is never answered", tls("silent"), "ERR_CONNECTION_FAILED", {
    https: true,
    limits: { connectMs: 150 },
    says: "It was accepted, but no TLS began: the port may be one for http.",
  }),
  {
    fault: "503, then a certificate that has expired",
    script: [status(503), tls("expired")],
    https: true,
    tries: 2,
    waits: [125],
    ends: "ERR_TLS_FAILED",
    says: "(503, CERT_HAS_EXPIRED)",
  },
];

/** The service is well, and not reached. */
const behind = (proxy: Behaviour) => ({ script: [], https: true, proxy }) as const;

const PROXIES: readonly FaultRow[] = [
  {
    fault: "a proxy that wants credentials (407)",
    ...behind({ status: 407 }),
    tries: 1,
    ends: "ERR_PROXY_REFUSED",
    says: "answered 407",
  },
  {
    fault: "a proxy that finds no service (502), for ever",
    ...behind({ status: 502 }),
    ...UNTIL_THE_END,
    ends: "ERR_PROXY_REFUSED",
    says: "after 10 tries",
  },
  {
    fault: "a proxy that closes, for ever",
    ...behind("close"),
    ...UNTIL_THE_END,
    ends: "ERR_CONNECTION_FAILED",
    says: "through the proxy",
  },
  {
    fault: "a proxy that is silent, for ever",
    ...behind("hang"),
    isTriedAgain: true,
    limits: { connectMs: 150 },
    ends: "ERR_CONNECTION_FAILED",
    says: "through the proxy",
  },
];

/** The specification of our client, by what may happen to it on the wire. */
export const FAULT_ROWS: readonly FaultRow[] = [
  ...STATUSES,
  ...ANSWERS,
  ...CONNECTIONS,
  ...TLS,
  ...PROXIES,
];
