import type { Behaviour } from "../support/connect-proxy";
import type { TlsFault } from "../support/tls-front";
import { type FaultRow, forEver, IMPATIENT, once, passing, UNTIL_THE_END } from "./fault-row";
import {
  breakAt,
  chunks,
  drip,
  EXTRA_ANSWER,
  HTTP_1_0,
  informational,
  late,
  NOT_HTTP,
  status,
} from "./faults";

/** Below HTTP. */
const CONNECTIONS: readonly FaultRow[] = [
  passing("reset before the head, once", breakAt("reset", "before the head"), 125),
  forEver("reset before the head", breakAt("reset", "before the head"), "ERR_CONNECTION_FAILED", {
    says: "after 10 tries",
  }),
  forEver("reset in the head", breakAt("reset", "in the head"), "ERR_CONNECTION_FAILED"),
  once("reset after the head", breakAt("reset", "after the head"), "token"),
  once("reset in the body", breakAt("reset", "in the body"), "token"),
  once("reset after the answer", breakAt("reset", "after the body"), "token"),
  forEver("closed before the head", breakAt("close", "before the head"), "ERR_CONNECTION_FAILED"),
  passing("closed in the head, once", breakAt("close", "in the head"), 125),
  once("closed after the head", breakAt("close", "after the head"), "token"),
  once("closed in the body", breakAt("close", "in the body"), "token"),
  once("closed after the answer", breakAt("close", "after the body"), "token"),
  passing("silence, once", breakAt("silence", "before the head"), 125, { limits: IMPATIENT }),
  forEver("silence", breakAt("silence", "before the head"), "ERR_NO_ANSWER", {
    limits: IMPATIENT,
    says: "did not answer within {requestMs}",
  }),
  forEver("silence in the head", breakAt("silence", "in the head"), "ERR_NO_ANSWER", {
    limits: IMPATIENT,
  }),
  once("silence after the head", breakAt("silence", "after the head"), "ERR_ANSWER_INCOMPLETE", {
    limits: IMPATIENT,
  }),
  once("silence in the body", breakAt("silence", "in the body"), "ERR_ANSWER_INCOMPLETE", {
    limits: IMPATIENT,
  }),
  passing("an answer that comes too late, once", late(600_000), 125, {
    limits: IMPATIENT,
  }),
  forEver("a head that drips", drip("head"), "ERR_NO_ANSWER", { limits: IMPATIENT }),
  forEver("102", informational(102, 100_000, 10), "ERR_NO_ANSWER", { limits: IMPATIENT }),
  once("103 before the answer", informational(103), "token"),
  once("100 before the answer, unasked", informational(100), "ERR_ANSWER_UNEXPECTED"),
  once("HTTP/1.0", HTTP_1_0, "token"),
  once("no HTTP", NOT_HTTP, "ERR_ANSWER_UNEXPECTED", { says: "not usable HTTP" }),
  once("a body in chunks", chunks("fine"), "token"),
  once("a chunk whose size is none", chunks("bad size"), "token"),
  once("a chunk that is cut off", chunks("cut"), "token"),
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
  refused("http on the port of https", "not_tls", { says: "Check the port" }),
  forEver("a handshake that is never answered", tls("silent"), "ERR_CONNECTION_FAILED", {
    https: true,
    limits: { connectMs: 150 },
    says: "within 0.15 s",
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
    fault: "a proxy that forbids (403)",
    ...behind({ status: 403 }),
    tries: 1,
    ends: "ERR_PROXY_REFUSED",
  },
  {
    fault: "a proxy that finds no service (502), for ever",
    ...behind({ status: 502 }),
    ...UNTIL_THE_END,
    ends: "ERR_PROXY_REFUSED",
    says: "after 10 tries",
  },
  {
    fault: "a proxy that is too busy (503), for ever",
    ...behind({ status: 503 }),
    ...UNTIL_THE_END,
    ends: "ERR_PROXY_REFUSED",
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

export const CONNECTION_ROWS: readonly FaultRow[] = [...CONNECTIONS, ...TLS, ...PROXIES];
