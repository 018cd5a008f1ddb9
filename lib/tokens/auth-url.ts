import { IamTokensError } from "./error";
import { escaped } from "./printable";

/** The address of an identity service, checked and completed. */
export interface AuthUrl {
  /** The base that ends in `/v3`, with no slash behind it. */
  readonly v3: string;
  /** Where tokens are issued: `…/v3/auth/tokens`. */
  readonly tokens: string;
  /** Whether the host is this machine itself: http is allowed, and no proxy is used. */
  readonly loopback: boolean;
}

/**
 * Checks and completes the address of an identity service.
 *
 * An address whose path ends in `/v3` is used as it is, one that ends in `/identity` gets `/v3`,
 * any other gets the spec's `/identity/v3`. https only, except on loopback; no userinfo, query or
 * fragment.
 *
 * @throws ERR_ADDRESS_INVALID
 * @example parseAuthUrl("https://cloud.example.com").v3 // "https://cloud.example.com/identity/v3"
 * @see spec, "Issue an IAM token"
 */
export function parseAuthUrl(text: string): AuthUrl {
  const refuse = (problem: string): never => {
    throw new IamTokensError("ERR_ADDRESS_INVALID", problem, {
      allowed:
        "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, query and fragment",
    });
  };
  if (text === undefined) return refuse("The address is missing.");
  // The platform's parser repairs what it should refuse: spaces, control characters and backslashes
  // are looked for first.
  if (typeof text !== "string" || text === "" || /[\s\\\p{Cc}]/u.test(text))
    return refuse(`${describe(text)} is not an address.`);
  const url = parseUrl(text) ?? refuse(`${describe(text)} is not an address.`);
  // Userinfo may hold a password: from here on the text itself is not repeated while there is any.
  if (url.username !== "" || url.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    // With another @ behind it, what looks like the host may be a part of a password.
    const isOne = text.indexOf("@") === text.lastIndexOf("@");
    return refuse(`The address${isOne ? ` of ${url.protocol}//${url.host}` : ""} has userinfo.`);
  }
  // Behind a slash it may be one still: of a password that has a slash in it.
  const shown = text.includes("@")
    ? "(with an @ in it)"
    : `${url.protocol}//${url.host}${url.pathname}`;
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refuse(`The address has the scheme ${JSON.stringify(url.protocol)}.`);
  if (text.includes("?")) return refuse(`The address ${shown} has a query.`);
  if (text.includes("#")) return refuse(`The address ${shown} has a fragment.`);
  const loopback = isLoopbackHost(url.hostname);
  if (url.protocol === "http:" && !loopback)
    return refuse(`The address ${shown} is http, and not of this machine.`);
  const path = url.pathname.replace(/\/+$/, "");
  const rest = path.endsWith("/v3") ? "" : path.endsWith("/identity") ? "/v3" : "/identity/v3";
  const v3 = `${url.origin}${path}${rest}`;
  return { v3, tokens: `${v3}/auth/tokens`, loopback };
}

/**
 * A text as a URL, or undefined when it is none.
 *
 * Not `URL.canParse`: that of Node.js 20 says no to a host with Latin letters (`bücher.example`) as
 * soon as the code that asks has been optimized.
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
  // What looks like userinfo may be a password, however broken the rest is.
  return text.includes("@") ? "The given text (with an @ in it)" : escaped(text.slice(0, 120));
}
