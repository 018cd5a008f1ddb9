import {
  cancelledError,
  defined,
  type ErrorCode,
  IamTokensError,
  type IamTokensErrorDetails,
  ofProcess,
  type Secret,
} from "../../tokens";
import type { Limits } from "../limits";
import type { Fault, Outcome } from "../transport/transport";
import { type Heard, jsonOf } from "./answer";

/** The outcome of a request, with all that a message about it needs. */
export interface Exchanged {
  readonly outcome: Outcome;
  readonly url: string;
  /** The secret in the request; empty without one. */
  readonly secret: Secret;
  /** The limits of the request. */
  readonly limits: Limits;
  /** The tries so far, in words that follow a fact; "" after a single one. */
  readonly triesInWords: string;
}

/**
 * The answer of an exchange.
 *
 * @throws the codes of faults, if there is none
 */
export function answerOf(exchanged: Exchanged): Heard {
  const { outcome } = exchanged;
  if (outcome.kind === "fault") throw faultError(outcome, exchanged);
  return { ...outcome, json: jsonOf(outcome) };
}

function faultError(fault: Fault, { url, limits, triesInWords }: Exchanged): IamTokensError {
  const { host } = new URL(url);
  const { proxy, atProxy, note: more } = fault;
  const who = atProxy ? `The proxy ${proxy}` : host;
  const through = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  const to = atProxy ? `the proxy ${proxy}` : host + through;
  const code = fault.code === undefined ? "" : ` (${fault.code})`;
  const error = (name: ErrorCode, fact: string, details: IamTokensErrorDetails = {}) =>
    new IamTokensError(name, `${fact}${triesInWords}.`, details);
  switch (fault.fault) {
    case "connect_timeout": {
      const fact = `No connection to ${to} within ${seconds(limits.connectMs)}`;
      return error("ERR_CONNECTION_FAILED", fact, defined({ more }));
    }
    case "connection": {
      const what = code === "" ? "was closed before the answer was complete" : "failed";
      const fact = `The connection to ${to} ${what}${code}`;
      return error("ERR_CONNECTION_FAILED", fact, defined({ more }));
    }
    case "no_answer":
      return error(
        "ERR_NO_ANSWER",
        `${who} did not answer${through} within ${seconds(limits.requestMs)}`,
      );
    case "tls": {
      const known = ALERT.test(code) ? NO_CA : TLS_REMEDIES[String(fault.code)];
      const proxys = known === PORT ? PROXY_PORT : (known ?? PROXY_CA);
      const isTls = known !== PORT;
      const fact = isTls
        ? `No trusted TLS connection to ${to}${code}`
        : `${who} does not use TLS on this port${atProxy ? "" : through}, as an https address requires${code}`;
      // The note is about a file that this process's environment names.
      const note = isTls && more ? ofProcess(more) : undefined;
      const remedy = atProxy ? proxys : known;
      return error("ERR_TLS_FAILED", fact, defined({ more: note, remedy }));
    }
    case "proxy_status":
      return error(
        "ERR_PROXY_REFUSED",
        `The proxy ${proxy} answered ${fault.status} to the request to connect to ${host}`,
      );
    case "malformed":
      return error(
        "ERR_ANSWER_UNEXPECTED",
        `${who} answered with something that is not usable HTTP: not HTTP, a header that is invalid or above ${limits.headerBytes} bytes, or an interim status 101`,
      );
    case "cancelled":
      return cancelledError();
  }
}

const PORT = "Check the port: https needs one where the service uses TLS.";
const PROXY_PORT = "In HTTPS_PROXY, write http:// if this port of the proxy is one without TLS.";
const PROXY_CA =
  "Add the proxy's CA to the trusted ones: NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, or those of the system with NODE_USE_SYSTEM_CA=1.";
const CLOCK =
  "Compare this machine's clock with the service's. If the clock is right, the certificate has to be renewed.";

/** Alerts of the other side about what both can do, most before it has shown a certificate. */
const ALERT = /_ALERT_(NO_APPLICATION_PROTOCOL|PROTOCOL_VERSION|HANDSHAKE_FAILURE)\)$/;
const NO_CA =
  "No CA helps: the other side speaks no HTTP/1.1, no TLS 1.2 or 1.3, or none of the ciphers here, or it requires a client certificate.";

/** For failures that another CA would not fix. */
const TLS_REMEDIES: Readonly<Record<string, string>> = {
  EPROTO: PORT,
  ERR_SSL_WRONG_VERSION_NUMBER: PORT,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PORT,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Use an address with a name or an IP that the certificate contains.",
  CERT_HAS_EXPIRED: CLOCK,
  CERT_NOT_YET_VALID: CLOCK,
};

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
