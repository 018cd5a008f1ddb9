import { IamTokensError } from "../../tokens";
import type { Limits } from "../limits";
import type { Fault } from "../transport/transport";

/** The error of an exchange that gave no answer. */
export function faultError(
  fault: Fault,
  url: string,
  limits: Limits,
  told: string,
): IamTokensError {
  const host = new URL(url).host;
  const through = fault.proxy === undefined ? "" : ` through the proxy ${fault.proxy}`;
  const code = fault.code === undefined ? "" : ` (${fault.code})`;
  const note = fault.note === undefined ? "" : ` ${fault.note}`;
  switch (fault.fault) {
    case "connect_timeout":
      return new IamTokensError(
        "ERR_CONNECTION_FAILED",
        `No connection to ${host}${through} within ${seconds(limits.connectMs)}${told}.`,
      );
    case "connection":
      return new IamTokensError(
        "ERR_CONNECTION_FAILED",
        `The connection to ${host}${through} ${fault.code === undefined ? "was closed before a whole answer came" : "failed"}${code}${told}.`,
      );
    case "no_answer":
      return new IamTokensError(
        "ERR_NO_ANSWER",
        `${host} did not answer${through} within ${seconds(limits.requestMs)}${told}.`,
      );
    case "tls":
      return new IamTokensError(
        "ERR_TLS_FAILED",
        `No trusted TLS connection to ${host}${through}${code}${told}.${note}`,
        {
          ...tlsRemedy(fault.code),
        },
      );
    case "proxy_status":
      return new IamTokensError(
        "ERR_PROXY_REFUSED",
        `The proxy ${fault.proxy ?? ""} answered ${fault.status ?? 0} when it was asked to connect to ${host}${told}.`,
      );
    case "malformed":
      return new IamTokensError(
        "ERR_ANSWER_UNEXPECTED",
        `${host} answered something that is not HTTP, or with an interim status (100, 101) that was not asked for${code}${told}.`,
      );
    case "header_unprintable":
      return new IamTokensError(
        "ERR_TOKEN_HEADER_UNPRINTABLE",
        `${host} answered with a header that has characters which no header can carry${told}.`,
      );
    case "headers_too_large":
      return new IamTokensError(
        "ERR_TOKEN_HEADER_TOO_LARGE",
        `${host} answered with headers that are too large${told}.`,
        {
          allowed: `up to ${limits.headerBytes} bytes`,
        },
      );
    case "cancelled":
      return cancelledError();
  }
}

/** For what another CA would not help with. */
function tlsRemedy(code = ""): { readonly remedy?: string } {
  if (/^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/.test(code))
    return { remedy: "Check the port: what answers there does not speak TLS." };
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return { remedy: "Give the address by a name that the service's certificate is for." };
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return {
      remedy:
        "Compare this machine's clock with the service's; if it is right, the service needs another certificate.",
    };
  return {};
}

/** The operation was given up, by whoever asked for it or by closing the client. */
export function cancelledError(): IamTokensError {
  return new IamTokensError("ERR_CANCELLED", "Issuing the token was cancelled.");
}

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;
