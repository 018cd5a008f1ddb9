import { domainToASCII, domainToUnicode } from "node:url";
import { defined } from "./defined";
import { IamTokensError } from "./error";
import { assertLength } from "./limits";
import { escaped, quote, shortened } from "./printable";

/** An http or https address that every parser reads alike. */
export interface Address {
  /** `https:`, or `http:` on loopback. */
  readonly scheme: string;
  /** Lower case, IDN as punycode; IPv6 shortened and in brackets. */
  readonly host: string;
  /** Empty for the scheme's default port. */
  readonly port: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Of the path, without a leading or a trailing slash. */
  readonly segments: readonly string[];
  /** For messages: without the query. */
  readonly display: string;
}

/** Whether an address may have a query. */
type Query = "any query" | "no query";

/**
 * Parses an address that a password or a token may be sent to.
 *
 * The program that sends it parses the address again, with another parser. Therefore an address
 * must be spelled as the platform's parser (WHATWG URL) writes it: `HTTPS://API.example.com`,
 * `https:/host`, `0x7f.1`, `bücher.example`, a backslash or a dot segment is refused with the right
 * spelling. Only the slash of an empty path may be missing, and the default port may be there. What
 * that parser leaves as it is, although others read it differently, is refused as well: encoded
 * slashes and dots, `..;`, a dot after the host.
 *
 * @throws ERR_TOO_LONG; ERR_ADDRESS_INVALID, whose message repeats neither userinfo nor a query
 */
export function parseAddress(text: string, query: Query): Address {
  const invalid = (problem: string, remedy?: string): IamTokensError => {
    const without = query === "no query" ? "userinfo, query and fragment" : "userinfo and fragment";
    const allowed = `an https address (http for 127.0.0.0/8, [::1] and localhost) without ${without}`;
    return new IamTokensError("ERR_ADDRESS_INVALID", problem, defined({ allowed, remedy }));
  };
  if (typeof text !== "string") {
    const value = text === null ? "null" : `A value of type ${typeof text}`;
    throw invalid(text === undefined ? "The address is missing." : `${value} is not an address.`);
  }
  assertLength("The address", text);
  // Userinfo may contain a password, and a password an @ or a slash: as long as there may be any,
  // nothing is repeated.
  const hidden = text.includes("@");
  const given = (): string =>
    hidden ? "The given text (with an @ in it)" : quote(text.replace(/[?#].*/su, ""));
  const url = parseUrl(text);
  if (url === undefined) throw invalid(`${given()} is not an address.`);
  // For some parsers, the host begins after the last @ before a slash, even after a ? or #.
  if (url.username !== "" || url.password !== "" || /^[^:]*:[/\\]*[^/\\]*@/.test(text))
    throw invalid("The address has userinfo (not repeated here).");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid(`${given()} has the scheme ${quote(url.protocol)}.`);
  const mistake = mistakeInHost(url.hostname) ?? mistakeInPath(url.pathname);
  if (mistake !== undefined) throw invalid(`${given()} has ${mistake}.`);
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw invalid(`${given()} uses http, but is not on this machine.`);
  if (text.includes("#")) throw invalid(`${given()} has a fragment.`);
  if (text.includes("?") && query === "no query") throw invalid(`${given()} has a query.`);
  if (!isSpelledAs(url, text)) {
    const withQuery = url.search === "" ? "" : ", and encode what a query cannot contain";
    const right = hidden ? "it as a URL parser does" : escaped(`${url.origin}${url.pathname}`);
    throw invalid(
      `${given()} is not spelled as a URL parser writes it.`,
      `Write ${right}${withQuery}.`,
    );
  }
  const { protocol: scheme, hostname: host, port, origin } = url;
  const segments = url.pathname.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  const display = shortened(`${origin}/${segments.join("/")}`, 200);
  return { scheme, host, port, origin, segments, display };
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

/** Only the slash of an empty path may be missing, and the default port may be there. */
function isSpelledAs(
  { href, origin, port, pathname, protocol, search }: URL,
  text: string,
): boolean {
  const written = `${origin}:${protocol === "https:" ? 443 : 80}`;
  const start = port === "" && text.startsWith(written) ? written : origin;
  const rest = href.slice(origin.length);
  if (search.includes("\\")) return false;
  return text === start + rest || (pathname === "/" && text === start + rest.slice(1));
}

/** The part of a parsed host that other programs would read as another host, or not at all. */
function mistakeInHost(host: string): string | undefined {
  const isName = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$/.test(host);
  return host.startsWith("[") || (isName && host.split(".").every(isDecodable))
    ? undefined
    : "a host with a dot at its end, an empty label, or a character that host names do not have";
}

/** Whether a label with `xn--` is the punycode of something: Node.js 24 does not check it. */
function isDecodable(label: string): boolean {
  if (!label.startsWith("xn--")) return true;
  const decoded = domainToUnicode(label);
  return decoded !== label && domainToASCII(decoded) === label;
}

/** The part of one segment of a path, before it is encoded, that servers would read differently. */
export function mistakeInSegment(text: string): string | undefined {
  return /^\.{1,2}$/.test(text) ? "a dot segment" : mistakeInPath(`/${encodeURIComponent(text)}`);
}

/** The part of a parsed path that other parsers, proxies and servers would read differently. */
function mistakeInPath(path: string): string | undefined {
  if (/%(?:2e|2f|5c)/i.test(path)) return "an encoded slash, backslash or dot";
  if (/%25[0-9a-f]{2}/i.test(path)) return "a character that is encoded twice";
  // For servers that strip parameters, "..;" is a dot segment.
  if (/\/\.{1,2}(?:;|%3b)/i.test(path)) return "a dot segment";
  const decoded = decode(path);
  if (decoded === undefined) return "broken percent-encoding";
  // Nearly every path. V8 compiles the properties of Unicode below on their first use.
  if (/^[ -~]*$/.test(decoded)) return undefined;
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
