import { defined } from "./defined";
import { IamTokensError } from "./error";
import { quote, shortened } from "./printable";

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
  /** The path's segments, without a leading or a trailing slash. */
  readonly segments: readonly string[];
  /** For messages: without the query. */
  readonly display: string;
}

/** Names, IPv4, and IPv6 in brackets. */
const HOST = /^(?:\[[0-9a-f:]+\]|(?:[a-z0-9_-]+\.)*[a-z0-9_-]+)$/;

/** Nothing that a proxy or a server decodes, or takes for the end or the parent of a segment. */
const SEGMENT = /^(?!\.\.?$)[\w.~:@!$&'()*+,=-]*$/;

/**
 * Parses an address that a password or a token may be sent to.
 *
 * The program that sends it parses the address again, with another parser. Therefore an address has
 * only characters that no parser changes, and must be spelled as the platform's parser (WHATWG URL)
 * writes it: `HTTPS://API.example.com`, `https:/host`, `0x7f.1`, `bücher.example`, a backslash or a
 * dot segment is refused with the right spelling. Only the slash of an empty path may be missing,
 * and the default port may be there.
 *
 * @throws ERR_ADDRESS_INVALID, whose message repeats neither userinfo nor a query
 */
export function parseAddress(text: unknown, query: "any query" | "no query"): Address {
  const invalid = (problem: string, remedy?: string): IamTokensError => {
    const without = query === "no query" ? "userinfo, query and fragment" : "userinfo and fragment";
    const allowed = `an https address (http for 127.0.0.0/8, [::1] and localhost) without ${without}`;
    return new IamTokensError("ERR_ADDRESS_INVALID", problem, defined({ allowed, remedy }));
  };
  if (typeof text !== "string") throw invalid("The address is missing, or is not a string.");
  // Userinfo may contain a password, and a password an @ or a slash: as long as there may be any,
  // nothing is repeated. What does not begin as an address may be a secret as a whole.
  const hidden = text.includes("@") || !/^\W{0,4}https?:/i.test(text);
  const given = () =>
    !hidden
      ? quote(text.replace(/[?#].*/su, ""))
      : `The given text (${text.includes("@") ? "with an @ in it" : "not repeated here"})`;
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // As docker --env-file keeps them.
    const remedy = /^["']/.test(text)
      ? "Give it without the quotes around it."
      : "Give the whole address, beginning with https://.";
    throw invalid(`${given()} is not an http or https address.`, remedy);
  }
  // For some parsers, the host begins after the last @ before a slash, even after a ? or #.
  if (url.username !== "" || url.password !== "" || /^[^:]*:[/\\]*[^/\\]*@/.test(text))
    throw invalid("The address has userinfo (not repeated here).");
  const { protocol: scheme, hostname: host, port, origin, pathname, search } = url;
  const segments = pathname.split("/").slice(1);
  if (!HOST.test(host)) throw invalid(`${given()} has a host that programs read differently.`);
  if (!segments.every((segment) => SEGMENT.test(segment)) || search.includes("\\")) {
    throw invalid(
      `${given()} has a character that programs read differently.`,
      "Write it without percent-encoding, semicolons, backslashes and characters other than ASCII; of a base address, the part before them.",
    );
  }
  if (scheme === "http:" && !isLoopbackHost(host))
    throw invalid(
      `${given()} uses http, but is not on this machine.`,
      "Give an https address, or forward a port of this machine to it: docs/credentials.md.",
    );
  if (text.includes("#")) throw invalid(`${given()} has a fragment.`);
  if (text.includes("?") && query === "no query") throw invalid(`${given()} has a query.`);
  if (!isSpelledAs(url, text)) {
    const withQuery = search === "" ? "" : ", and encode what a query cannot contain";
    const right = hidden ? "it as a URL parser does" : quote(`${origin}${pathname}`, "path");
    throw invalid(
      `${given()} is not spelled as a URL parser writes it.`,
      `Write ${right}${withQuery}.`,
    );
  }
  if (segments.at(-1) === "") segments.pop();
  const display = shortened(`${origin}/${segments.join("/")}`, 200);
  return { scheme, host, port, origin, segments, display };
}

/**
 * A string as a URL, which may be relative to a base; undefined if it is not one.
 *
 * Not `URL.canParse`: in Node.js 20, it rejects a host with Latin letters (`bücher.example`) once
 * the calling code is optimized.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether a host name of a parsed URL is this machine: 127.0.0.0/8, ::1, localhost. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Whether a name can be a segment of an address, and leads to no other one. */
export function isSegment(name: string): boolean {
  return SEGMENT.test(name);
}

/** Only the slash of an empty path may be missing, and the default port may be there. */
function isSpelledAs({ href, origin, pathname, protocol }: URL, text: string): boolean {
  const rest = href.slice(origin.length);
  return [origin, `${origin}:${protocol === "https:" ? 443 : 80}`].some(
    (start) => text === start + rest || (pathname === "/" && text === start + rest.slice(1)),
  );
}
