import { defined, IamTokensError, ofProcess, type Secret, type Text, words } from "../../tokens";
import { requestId } from "../../tokens/words";
import type { Limits } from "../limits";
import type { Answer, Fault } from "../transport/transport";
import { cancelledError } from "../waiting/until-aborted";
import { requestIdOf } from "./answer";

/** The status, with the request id if it is safe to print. */
export function statusText(answer: Answer, secret: Secret): Text {
  const id = requestIdOf(answer, secret);
  return words`${answer.status}${id && requestId(` (request id ${id})`)}`;
}

/**
 * The error of an answer that is neither a success nor a 401. It contains only status and request
 * id.
 */
export function refusalError(
  answer: Answer,
  url: string,
  secret: Secret,
  attempts: string,
): IamTokensError {
  const { status } = answer;
  const fact = words`${url} answered ${statusText(answer, secret)}${attempts}.`;
  if (status >= 300 && status < 400) return new IamTokensError("ERR_REDIRECTED", fact);
  if (status === 404) {
    return new IamTokensError("ERR_ENDPOINT_NOT_FOUND", fact, {
      more: `The provider built that address from the given one: it adds nothing after /v3, /v3 after /identity, and /identity/v3 after anything else; then ${url.slice(url.lastIndexOf("/v3/") + 3)}.`,
      remedy: `Write the address as the service has it, up to /v3, such as ${otherAddress(url)}.`,
    });
  }
  if (status === 429) return new IamTokensError("ERR_RATE_LIMITED", fact);
  if (status >= 400 && status < 500) {
    const remedy = requestIdOf(answer, secret) ? undefined : "Check names and address.";
    return new IamTokensError("ERR_REQUEST_REFUSED", fact, defined({ remedy }));
  }
  if (status >= 500 && status < 600) return new IamTokensError("ERR_SERVICE_FAILED", fact);
  return new IamTokensError("ERR_ANSWER_UNEXPECTED", fact);
}

/** The other usual address of a service whose built one is wrong. */
export function otherAddress(url: string): string {
  const base = url.replace(/\/(identity\/)?(v3|v2\.0)\/.*$/, "");
  const isBuilt = !url.startsWith(`${base}/v3/`) || url.split("/v3/").length > 2;
  return isBuilt ? `${base}/v3` : `${base}/identity/v3`;
}

/** The error of an exchange without an answer. */
export function faultError(
  fault: Fault,
  url: string,
  limits: Limits,
  attempts: string,
): IamTokensError {
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
      const remedy = TLS_REMEDIES[String(fault.code)];
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

/** For failures that another CA would not fix. */
const TLS_REMEDIES: Readonly<Record<string, string>> = {
  EPROTO: PORT,
  ERR_SSL_WRONG_VERSION_NUMBER: PORT,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PORT,
  ERR_TLS_CERT_ALTNAME_INVALID:
    "Use an address with a host name that the service's certificate contains.",
  CERT_HAS_EXPIRED: CLOCK,
  CERT_NOT_YET_VALID: CLOCK,
};

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
