import { domainToASCII, domainToUnicode } from "node:url";
import { isLoopbackHost, parseUrl } from "./auth-url";
import { IamTokensError } from "./error";
import { assertLength } from "./limits";
import { quote, shortened } from "./printable";

/** An address of a product API, in the single form that comparisons use. */
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
  /** For messages: without query and userinfo. */
  readonly display: string;
}

/** Valid addresses of a product API, for messages. */
const ALLOWED =
  "an https address (http for 127.0.0.0/8, [::1] and localhost) without userinfo, fragment, backslashes, white space, control " +
  "characters, dot segments, a dot after the host, and encoded slashes, backslashes and dots";

/**
 * Parses an address that a token may be sent to.
 *
 * The program that sends the token parses the address again, with another parser. So spellings that
 * parsers are known to read differently are refused instead of repaired: backslashes, userinfo,
 * `https:/host`, percent-encoded hosts, numbers such as `0x7f.1`, characters that stand for others
 * (`．` for `.`), dot segments, encoded slashes and dots, `..;`.
 *
 * @throws ERR_TOO_LONG; ERR_ADDRESS_INVALID, whose message repeats neither userinfo nor a query
 * @example parseApiAddress("HTTPS://API.example.com:443/v1/").segments // ["v1"], and host is
 * "api.example.com"
 * @see docs/guard-rails.md
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
  assertLength("The address", text);
  if (/[\s\\\p{C}\p{Z}]/u.test(text))
    return refuse(`${given(text)} has white space, a backslash or an invisible character.`);
  const [, scheme, head = "", authority = "", path = ""] =
    /^([a-z][a-z0-9+.-]*):\/\/(?=([^/]*))([^/?#]*)([^?]*)/iu.exec(text) ?? [];
  if (scheme === undefined) return refuse(`${given(text)} is not an address.`);
  if (!/^https?$/i.test(scheme)) return refuse(`${given(text)} has the scheme ${quote(scheme)}.`);
  // The head goes up to the first slash, even after a ? or #: for some parsers, the host begins
  // after the last @.
  if (head.includes("@")) return refuse("The address has userinfo (not repeated here).");

  const host = /^(\[[0-9a-f:.]+\]|[^:[\]%]+)(?::\d{1,5})?$/iu.exec(authority)?.[1];
  const url = parseUrl(text);
  if (host === undefined || url === undefined)
    return refuse(`${given(text)} has no usable host and port.`);
  const name = url.hostname;
  if (name.endsWith("."))
    return refuse(`The host ${quote(host)} ends with a dot; servers may treat it as another host.`);
  if (!isPlainHost(host, name))
    return refuse(`The host ${quote(host)} is an unusual spelling of ${shortened(name, 80)}.`);
  if (url.protocol === "http:" && !isLoopbackHost(name))
    return refuse(`${given(text)} uses http, but is not on this machine.`);
  if (text.includes("#")) return refuse(`${given(text)} has a fragment.`);

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
    display: shortened(`${url.protocol}//${name}${port}/${segments.join("/")}`, 200),
  };
}

/** The base address of the product APIs, to which tokens may be restricted. */
export type BaseUrl = ApiAddress;

/**
 * Parses the base address of the product APIs: an address without a query.
 *
 * @throws ERR_ADDRESS_INVALID
 * @example parseBaseUrl("https://api.example.com")
 * @see docs/guard-rails.md
 */
export function parseBaseUrl(text: string): BaseUrl {
  const address = parseApiAddress(text);
  if (!address.hasQuery) return address;
  throw new IamTokensError(
    "ERR_ADDRESS_INVALID",
    `The base address ${address.display} has a query.`,
    {
      allowed: "scheme, host, port and path",
      remedy: "Remove the query.",
    },
  );
}

/**
 * Checks an address for a token: {@link parseApiAddress} must accept it and, if there is a base
 * address, it must be below that. This means the same scheme, host and port, and a path that begins
 * with the base's path in whole segments: `/v1` covers `/v1` and `/v1/servers`, not `/v10`. A query
 * is allowed and ignored.
 *
 * @param base undefined if access is not restricted
 * @throws ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED
 * @example assertDestination("https://api.example.com/dns/v2",
 * parseBaseUrl("https://api.example.com"))
 * @see docs/guard-rails.md
 */
export function assertDestination(text: string, base: BaseUrl | undefined): void {
  const destination = parseApiAddress(text);
  if (base === undefined) return;
  const difference = differenceFrom(base, destination);
  if (difference === undefined) return;
  throw new IamTokensError(
    "ERR_DESTINATION_REFUSED",
    `${destination.display} is outside the base address ${base.display}: the ${difference} differs.`,
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
 * The address for a message, without query and fragment. If there may be userinfo in it, however
 * broken, it is not repeated at all.
 */
function given(text: string): string {
  return text.includes("@")
    ? "The given text (with an @ in it)"
    : quote(text.replace(/[?#].*/su, ""));
}

/**
 * Whether a host is spelled plainly: upper case and Unicode IDN are plain, `0x7f.1` and fullwidth
 * characters are not.
 */
function isPlainHost(written: string, name: string): boolean {
  if (name.startsWith("[")) return true;
  // Clients that follow IDNA 2003 (such as Python's own) read these as ss and σ, a different host.
  // In punycode they are unambiguous.
  if (/[ßẞς]/.test(written)) return false;
  const plain = written.toLowerCase();
  const emptyLabel = /^\.|\.\./.test(name);
  return (
    !emptyLabel &&
    name.split(".").every((label) => !label.startsWith("xn--") || isPunycode(label)) &&
    (plain === name || plain.normalize("NFC") === domainToUnicode(name))
  );
}

/** Whether a label is the punycode of something: Node.js 24 no longer refuses one that is not. */
function isPunycode(label: string): boolean {
  const decoded = domainToUnicode(label);
  return decoded !== label && domainToASCII(decoded) === label;
}

/** The part of a written path that parsers, proxies and servers would read differently. */
function mistakeInPath(path: string): string | undefined {
  if (/%(?:2e|2f|5c)/i.test(path)) return "an encoded slash, backslash or dot";
  if (/%25[0-9a-f]{2}/i.test(path)) return "a character that is encoded twice";
  // For servers that strip parameters, "..;" is a dot segment.
  if (path.split("/").some((segment) => /^\.{1,2}(?:;|%3b|$)/i.test(segment)))
    return "a dot segment";
  const decoded = decode(path);
  if (decoded === undefined) return "broken percent-encoding";
  if (/\p{Cc}/u.test(decoded)) return "an encoded control character";
  // Unicode normalization turns fullwidth slashes, dot leaders and the like into slashes and dots.
  const lookalike = /[^\p{ASCII}]/gu;
  return decoded.match(lookalike)?.some((character) => /[./\\]/.test(character.normalize("NFKC")))
    ? "a character that is equivalent to a slash or a dot"
    : undefined;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Only letters and digits have the same meaning encoded and not encoded. */
function canonicalSegment(segment: string): string {
  return segment.replace(/%[0-9a-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
    return /[A-Za-z0-9_~-]/.test(character) ? character : octet.toUpperCase();
  });
}
