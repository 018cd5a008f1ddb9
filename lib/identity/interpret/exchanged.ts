import { cancelledError, defined, IamTokensError, ofProcess, type Secret } from "../../tokens";
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
  /** The attempts so far, for messages; "" after a single one. */
  readonly attempts: string;
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

function faultError(fault: Fault, { url, limits, attempts }: Exchanged): IamTokensError {
  const host = new URL(url).host;
  const through = fault.proxy === undefined ? "" : ` through the proxy ${fault.proxy}`;
  const code = fault.code === undefined ? "" : ` (${fault.code})`;
  const { note: more } = fault;
  switch (fault.fault) {
    case "connect_timeout":
      return new IamTokensError(
        "ERR_CONNECTION_FAILED",
        `No connection to ${host}${through} within ${seconds(limits.connectMs)}${attempts}.`,
        defined({ more }),
      );
    case "connection":
      return new IamTokensError(
        "ERR_CONNECTION_FAILED",
        `The connection to ${host}${through} ${fault.code === undefined ? "was closed before the answer was complete" : "failed"}${code}${attempts}.`,
        defined({ more }),
      );
    case "no_answer":
      return new IamTokensError(
        "ERR_NO_ANSWER",
        `${host} did not answer${through} within ${seconds(limits.requestMs)}${attempts}.`,
      );
    case "tls": {
      const remedy = ALERT.test(String(fault.code)) ? NO_CA : TLS_REMEDIES[String(fault.code)];
      return new IamTokensError(
        "ERR_TLS_FAILED",
        remedy === PORT
          ? `${host} does not use TLS on this port${through}, as an https address requires${code}${attempts}.`
          : `No trusted TLS connection to ${host}${through}${code}${attempts}.`,
        // It is of a setting for certificates.
        defined({ more: more && remedy !== PORT ? ofProcess(more) : undefined, remedy }),
      );
    }
    case "proxy_status":
      return new IamTokensError(
        "ERR_PROXY_REFUSED",
        `The proxy ${fault.proxy} answered ${fault.status} to the request to connect to ${host}${attempts}.`,
      );
    case "malformed":
      return new IamTokensError(
        "ERR_ANSWER_UNEXPECTED",
        `${host} answered with something that is not usable HTTP: not HTTP, a header that is invalid or above ${limits.headerBytes} bytes, or an unexpected interim status (100, 101)${attempts}.`,
      );
    case "cancelled":
      return cancelledError();
  }
}

const PORT = "Check the port: https needs one where the service uses TLS.";
const CLOCK =
  "Compare this machine's clock with the service's. If the clock is right, the service needs a new certificate.";

/** Of the other side, before it has shown a certificate, or about what both can do. */
const ALERT = /_ALERT_(NO_APPLICATION_PROTOCOL|PROTOCOL_VERSION|HANDSHAKE_FAILURE)$/;
const NO_CA =
  "No CA helps: the other side speaks no HTTP/1.1, no TLS 1.2 or 1.3, or none of the ciphers here, or it requires a client certificate.";

/** For failures that another CA would not fix. */
const TLS_REMEDIES: Readonly<Record<string, string>> = {
  EPROTO: PORT,
  ERR_SSL_WRONG_VERSION_NUMBER: PORT,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PORT,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Use an address with a name or an IP that the service's certificate contains.",
  CERT_HAS_EXPIRED: CLOCK,
  CERT_NOT_YET_VALID: CLOCK,
};

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
