import {
  cancelledError,
  defined,
  type ErrorCode,
  formatDuration,
  IamTokensError,
  ofProcess,
  type Secret,
  type Text,
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

function faultError(fault: Fault, exchanged: Exchanged): IamTokensError {
  if (fault.fault === "cancelled") return cancelledError();
  const [code, fact, details = {}] = partsOf(fault, exchanged);
  return new IamTokensError(code, `${fact}${exchanged.triesInWords}.`, defined(details));
}

type FaultParts = readonly [ErrorCode, fact: string, details?: Record<string, Text | undefined>];

function partsOf(fault: Fault, { url, limits }: Exchanged): FaultParts {
  const { host } = new URL(url);
  const { proxy, atProxy, code = "", reason = code, note: more } = fault;
  const who = atProxy ? `The proxy ${proxy}` : host;
  const through = proxy === undefined ? "" : ` through the proxy ${proxy}`;
  const to = atProxy ? `the proxy ${proxy}` : host + through;
  const because = reason && ` (${reason})`;
  switch (fault.fault) {
    case "connect_timeout": {
      const time = formatDuration(limits.connectMs);
      return ["ERR_CONNECTION_FAILED", `No connection to ${to} within ${time}`, { more }];
    }
    case "no_answer": {
      const time = formatDuration(limits.requestMs);
      return ["ERR_NO_ANSWER", `${who} did not answer${through} within ${time}`];
    }
    case "certificate": {
      // The note is about a file that this process's environment names.
      const details = { more: more && ofProcess(more), remedy: certificateRemedy(code, atProxy) };
      return ["ERR_TLS_FAILED", `No trusted TLS connection to ${to}${because}`, details];
    }
    case "tls": {
      if (!/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(code))
        return ["ERR_TLS_FAILED", `No TLS connection to ${to}${because}`, { remedy: NO_CA }];
      const fact = `${who} does not use TLS on this port${atProxy ? "" : through}, as an https address requires`;
      return ["ERR_TLS_FAILED", fact + because, { remedy: atProxy ? PROXY_PORT : PORT }];
    }
    case "proxy_status":
      return [
        "ERR_PROXY_REFUSED",
        `The proxy ${proxy} answered ${fault.status} to the request to connect to ${host}`,
      ];
    case "malformed":
      return [
        "ERR_ANSWER_UNEXPECTED",
        `${who} answered with something that is not usable HTTP: not HTTP, a header that is invalid or above ${limits.headerBytes} bytes, an interim status 101, or more than ${limits.connectionBytes} bytes`,
      ];
    default: {
      const what = because ? "failed" : "was closed before the answer was complete";
      return ["ERR_CONNECTION_FAILED", `The connection to ${to} ${what}${because}`, { more }];
    }
  }
}

const PORT = "Check the port: https needs one where the service uses TLS.";
const PROXY_PORT = "In HTTPS_PROXY, write http:// if this port of the proxy is one without TLS.";
const PROXY_CA =
  "Add the proxy's CA to the trusted ones: NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, or those of the system with NODE_USE_SYSTEM_CA=1.";
const NO_CA =
  "No CA helps: the other side requires a client certificate or refuses the given one, or it speaks no HTTP/1.1, no TLS 1.2 or 1.3, or none of the ciphers here.";

/** By OpenSSL's check of it; the default is the advice about CAs. */
function certificateRemedy(code: string, atProxy?: boolean): string | undefined {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "Use an address with a name or an IP that the certificate contains.";
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return "Compare this machine's clock with the service's. If the clock is right, the certificate, or its CA's, has to be renewed.";
  // No chain to a CA that is trusted here.
  if (/^UNABLE_TO_|SELF_SIGNED/.test(code)) return atProxy ? PROXY_CA : undefined;
  return "No CA helps: the certificate, or one of its chain, has to be replaced.";
}
