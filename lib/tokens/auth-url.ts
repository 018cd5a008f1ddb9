import { IamTokensError } from "./error";
import { assertLength } from "./limits";
import { quote, shortened } from "./printable";

/** The address of an identity service, checked and completed. */
export interface AuthUrl {
  /** The base that ends in `/v3`, without a slash after it. */
  readonly v3: string;
  /** Where tokens are issued: `…/v3/auth/tokens`. */
  readonly tokens: string;
  /** Whether the host is this machine: http is then allowed, and no proxy is used. */
  readonly loopback: boolean;
}

/**
 * Checks and completes the address of an identity service.
 *
 * An address whose path ends in `/v3` is used as it is, one that ends in `/identity` gets `/v3`,
 * any other gets `/identity/v3`. Only https, except on loopback; no userinfo, query or fragment.
 *
 * @throws ERR_ADDRESS_INVALID, ERR_TOO_LONG
 * @example parseAuthUrl("https://cloud.example.com").v3 // "https://cloud.example.com/identity/v3"
 * @see docs/credentials.md
 */
export function parseAuthUrl(text: string): AuthUrl {
  const refuse = (problem: string): never => {
    throw new IamTokensError("ERR_ADDRESS_INVALID", problem, {
      allowed:
        "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, query and fragment",
    });
  };
  if (text === undefined) return refuse("The address is missing.");
  if (typeof text === "string") assertLength("The address", text);
  // The platform's parser repairs spaces, control characters and backslashes, so they are refused
  // before it runs.
  if (typeof text !== "string" || /[\s\\\p{Cc}]/u.test(text))
    return refuse(`${describe(text)} is not an address.`);
  const url = parseUrl(text) ?? refuse(`${describe(text)} is not an address.`);
  // Userinfo may contain a password: as long as there may be any, the address is not repeated.
  if (url.username !== "" || url.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    // If there is a second @, the apparent host may be a part of a password.
    const isOne = text.indexOf("@") === text.lastIndexOf("@");
    return refuse(`The address${isOne ? ` of ${url.protocol}//${url.host}` : ""} has userinfo.`);
  }
  // Even after a slash, an @ may belong to a password that contains a slash.
  const display = text.includes("@")
    ? "(with an @ in it)"
    : shortened(`${url.protocol}//${url.host}${url.pathname}`, 200);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refuse(`The address has the scheme ${quote(url.protocol)}.`);
  if (text.includes("?")) return refuse(`The address ${display} has a query.`);
  if (text.includes("#")) return refuse(`The address ${display} has a fragment.`);
  const loopback = isLoopbackHost(url.hostname);
  if (url.protocol === "http:" && !loopback)
    return refuse(`The address ${display} uses http, but is not on this machine.`);
  const path = withoutTrailingSlashes(url.pathname);
  const rest = path.endsWith("/v3") ? "" : path.endsWith("/identity") ? "/v3" : "/identity/v3";
  const v3 = `${url.origin}${path}${rest}`;
  return { v3, tokens: `${v3}/auth/tokens`, loopback };
}

/** A pattern such as /\\/+$/ would begin again at each slash. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  return path.slice(0, end);
}

/**
 * A string as a URL; undefined if it is not one.
 *
 * Not `URL.canParse`: in Node.js 20, it rejects a host with Latin letters (`bücher.example`) once
 * the calling code is optimized.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Whether a host name of a parsed URL is this machine: 127.0.0.0/8, ::1, localhost. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function describe(text: unknown): string {
  if (typeof text !== "string") return text === null ? "null" : `A value of type ${typeof text}`;
  // Anything like userinfo may contain a password, even in a broken address.
  return text.includes("@") ? "The given text (with an @ in it)" : quote(text);
}
