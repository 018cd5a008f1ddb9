import { domainToUnicode } from "node:url";
import { isLoopbackHost, parseUrl } from "./auth-url";
import { IamTokensError } from "./error";
import { quote } from "./printable";

/** An address of a product API, in the one form in which two of them are compared. */
export interface ApiAddress {
  /** `https:`, or `http:` on loopback. */
  readonly scheme: string;
  /** Lower case, IDN as punycode; IPv6 shortened and in brackets. */
  readonly host: string;
  /** Empty for the scheme's default port. */
  readonly port: string;
  /** Of the path, without a leading or a trailing slash. */
  readonly segments: readonly string[];
  readonly hasQuery: boolean;
  /** For messages: without query. It never has userinfo. */
  readonly shown: string;
}

/** What an address of a product API may be, for messages. */
const ALLOWED =
  "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, fragment, backslashes, white space, control " +
  "characters, dot segments, a dot after the host, and encoded slashes, backslashes and dots";

/** Longer than any address that servers take. */
const MAX_LENGTH = 8_192;

/**
 * Parses an address that a token may be sent to.
 *
 * The program that sends the token reads the address again, with a parser of its own. So what
 * parsers are known to read differently is refused, and not repaired: backslashes, userinfo,
 * `https:/host`, hosts in percent-encoding, numbers such as `0x7f.1`, characters that stand for
 * others (`．` for `.`), dot segments, encoded slashes and dots, `..;`.
 *
 * @throws ERR_ADDRESS_INVALID; the message repeats neither userinfo nor a query
 * @example parseApiAddress("HTTPS://API.example.com:443/v1/").segments // ["v1"], and host is
 * "api.example.com"
 * @see spec, "Authentication", 7
 */
export function parseApiAddress(text: string): ApiAddress {
  const refuse = (problem: string): never => {
    throw new IamTokensError("ERR_ADDRESS_INVALID", problem, {
      allowed: ALLOWED,
      remedy: "Give the address as the service's URL list shows it.",
    });
  };
  if (typeof text !== "string")
    return refuse(
      `${text === null ? "null" : `A value of type ${typeof text}`} is not an address.`,
    );
  if (text.length > MAX_LENGTH)
    return refuse(`An address of ${text.length} characters is too long (limit: ${MAX_LENGTH}).`);
  if (/[\s\\\p{C}\p{Z}]/u.test(text))
    return refuse(`${given(text)} has white space, a backslash or an invisible character.`);
  const [, scheme, head = "", rest = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/iu.exec(text) ?? [];
  if (scheme === undefined) return refuse(`${given(text)} is not an address.`);
  if (!/^https?$/i.test(scheme)) return refuse(`${given(text)} has the scheme ${quote(scheme)}.`);
  // Up to the first slash, also behind a ? or #: there are parsers for which the host begins behind
  // the last @.
  if (head.includes("@")) return refuse("The address has userinfo (not repeated here).");

  const authority = head.replace(/[?#].*$/, "");
  const host = /^(\[[0-9a-f:.]+\]|[^:[\]%]+)(?::\d{1,5})?$/iu.exec(authority)?.[1];
  const url = host === undefined ? undefined : parseUrl(text);
  if (host === undefined || url === undefined)
    return refuse(`${given(text)} has no usable host and port.`);
  const name = url.hostname;
  if (name.endsWith("."))
    return refuse(
      `The host ${quote(host)} ends in a dot, and servers may take it for another one.`,
    );
  if (!isPlainHost(host, name))
    return refuse(`The host ${quote(host)} is a roundabout form of ${name}.`);
  if (url.protocol === "http:" && !isLoopbackHost(name))
    return refuse(`${given(text)} is http, and not of this machine.`);
  if (text.includes("#")) return refuse(`${given(text)} has a fragment.`);

  const path = `${head.slice(authority.length)}${rest}`.replace(/\?.*$/, "");
  const mistake = mistakeInPath(path);
  if (mistake !== undefined) return refuse(`${given(text)} has ${mistake}.`);
  const segments = url.pathname.split("/").slice(1).map(canonicalSegment);
  if (segments.at(-1) === "") segments.pop();
  const port = url.port === "" ? "" : `:${url.port}`;
  return {
    scheme: url.protocol,
    host: name,
    port: url.port,
    segments,
    hasQuery: text.includes("?"),
    shown: shortened(`${url.protocol}//${name}${port}/${segments.join("/")}`),
  };
}

/** The base address of the product APIs: what tokens may be restricted to. */
export type BaseUrl = ApiAddress;

/**
 * Parses the base address of the product APIs: an address without a query.
 *
 * @throws ERR_ADDRESS_INVALID
 * @example parseBaseUrl("https://api.example.com")
 * @see spec, "What the service does", 3
 */
export function parseBaseUrl(text: string): BaseUrl {
  const address = parseApiAddress(text);
  if (!address.hasQuery) return address;
  throw new IamTokensError(
    "ERR_ADDRESS_INVALID",
    `The base address ${address.shown} has a query.`,
    {
      allowed: "scheme, host, port and path",
      remedy: "Leave the query out.",
    },
  );
}

/**
 * Checks an address that a token is for: one that {@link parseApiAddress} takes and, where there is
 * a base address, that falls under it. Scheme, host and port are the same, and the path begins with
 * the base's path, in whole segments: `/v1` covers `/v1` and `/v1/servers`, not `/v10`. A query is
 * allowed, and makes no difference.
 *
 * @param base undefined when access is not restricted
 * @throws ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED
 * @example assertDestination("https://api.example.com/dns/v2",
 * parseBaseUrl("https://api.example.com"))
 * @see spec, "Authentication", 7
 */
export function assertDestination(text: string, base: BaseUrl | undefined): void {
  const destination = parseApiAddress(text);
  const difference = base === undefined ? undefined : differenceFrom(base, destination);
  if (base === undefined || difference === undefined) return;
  throw new IamTokensError(
    "ERR_DESTINATION_REFUSED",
    `${destination.shown} does not fall under the base address ${base.shown}: the ${difference} differs.`,
  );
}

function differenceFrom(
  base: ApiAddress,
  destination: ApiAddress,
): "scheme" | "host" | "port" | "path" | undefined {
  for (const part of ["scheme", "host", "port"] as const)
    if (base[part] !== destination[part]) return part;
  return base.segments.every((segment, index) => segment === destination.segments[index])
    ? undefined
    : "path";
}

/**
 * The text for a message, without query and fragment; nothing of it when there may be userinfo in
 * it, however broken it is.
 */
function given(text: string): string {
  return text.includes("@")
    ? "The given text (with an @ in it)"
    : quote(text.replace(/[?#].*$/su, ""));
}

/**
 * Whether a host is written as itself: upper case and IDN in Unicode are, `0x7f.1` and fullwidth
 * characters are not.
 */
function isPlainHost(written: string, name: string): boolean {
  if (name.startsWith("[")) return true;
  // To clients that follow IDNA 2003 (Python's own, for one) these are ss and σ: another host. In
  // punycode there is no doubt.
  if (/[ßẞς]/.test(written)) return false;
  const plain = written.toLowerCase();
  const emptyLabel = name === "" || /^\.|\.\./.test(name);
  return !emptyLabel && (plain === name || plain.normalize("NFC") === domainToUnicode(name));
}

/** What parsers, proxies and servers would read differently, in a path as it is written. */
function mistakeInPath(path: string): string | undefined {
  if (/%(?:2e|2f|5c)/i.test(path)) return "an encoded slash, backslash or dot";
  if (/%25[0-9a-f]{2}/i.test(path)) return "a character that is encoded twice";
  // "..;" is a dot segment to servers that cut parameters off.
  if (path.split("/").some((segment) => /^\.{1,2}(?:;|%3b|$)/i.test(segment)))
    return "a dot segment";
  const decoded = decode(path);
  if (decoded === undefined) return "broken percent-encoding";
  if (/\p{Cc}/u.test(decoded)) return "an encoded control character";
  // Fullwidth slashes, dot leaders and the like become slashes and dots where Unicode is
  // normalized.
  const lookalike = /[^\p{ASCII}]/gu;
  return decoded.match(lookalike)?.some((character) => /[./\\]/.test(character.normalize("NFKC")))
    ? "a character that stands for a slash or a dot"
    : undefined;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Letters and digits mean the same encoded and not; anything else does not. */
function canonicalSegment(segment: string): string {
  return segment.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[A-Za-z0-9_~-]/.test(character) ? character : octet.toUpperCase();
  });
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
