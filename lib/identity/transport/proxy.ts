import { BlockList, isIP } from "node:net";
import {
  defined,
  IamTokensError,
  isLoopbackHost,
  ofProcess,
  parseUrl,
  Secret,
  words,
} from "../../tokens";

/** The proxy for a request. */
export interface HttpProxy {
  readonly tls: boolean;
  readonly origin: string;
  /** Host and port, for messages: never its credentials. */
  readonly display: string;
  /** The value of Proxy-Authorization. */
  readonly authorization?: Secret;
}

/** The environment as a plain record. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address, from https_proxy or HTTPS_PROXY and no_proxy or NO_PROXY (the
 * lower-case one wins, as in curl; an empty one counts as not set). Loopback never uses a proxy,
 * and http is only allowed on loopback.
 *
 * @throws ERR_PROXY_INVALID
 */
export function proxyFor(address: URL, env: ProxyEnvironment): HttpProxy | undefined {
  if (address.protocol !== "https:" || isLoopbackHost(address.hostname)) return undefined;
  const text = (env.https_proxy || env.HTTPS_PROXY || "").trim();
  if (text === "") return undefined;
  const noProxy = env.no_proxy || env.NO_PROXY || "";
  if (isExempt(address.hostname, Number(address.port || 443), noProxy)) return undefined;
  return parseProxy(text);
}

/**
 * Whether NO_PROXY lists a host. Entries are separated by commas or white space: `*` (all), or a
 * host (with or without a leading `.` or `*.`: it and everything below it) or an address, each with
 * an optional `:port`; or a range of addresses, such as 10.0.0.0/8.
 */
export function isExempt(hostname: string, port: number, noProxy: string): boolean {
  const bare = (given: string) => {
    const host = given.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
    // An IPv6 address has many spellings; a URL parser has one.
    return isIP(host) === 6 ? (parseUrl(`http://[${host}]`)?.hostname.slice(1, -1) ?? host) : host;
  };
  const host = bare(hostname);
  const names = (entry: string): boolean => {
    if (entry.includes("/")) return isIn(entry, host);
    // A bare IPv6 address contains colons itself: with a port, it needs brackets.
    const [, name = entry, wanted] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    const domain = bare(name).replace(/^\*?\./, "");
    if (domain === "" || Number(wanted ?? port) !== port) return false;
    return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`));
  };
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry === "*" || names(entry));
}

/** Whether a host is an address in a range. */
function isIn(range: string, host: string): boolean {
  const [, network = "", digits] = /^([^/]+)\/(\d{1,3})$/.exec(range) ?? [];
  const [family, prefix] = [isIP(network), Number(digits)];
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(network, prefix, type);
  return list.check(host, type);
}

function parseProxy(text: string): HttpProxy {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = /[\s\\\p{Cc}]/u.test(address) ? undefined : parseUrl(address);
  const rest = url && url.pathname + url.search + url.hash;
  if (url === undefined || !/^https?:$/.test(url.protocol) || rest !== "/") throw invalidError();
  const tls = url.protocol === "https:";
  const display = `${url.hostname}:${url.port || (tls ? 443 : 80)}`;
  return { tls, origin: url.origin, display, ...defined({ authorization: basic(url) }) };
}

function basic({ username, password }: URL): Secret | undefined {
  if (username === "" && password === "") return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return Secret.of(`Basic ${Buffer.from(pair, "utf8").toString("base64")}`);
  } catch {
    throw invalidError();
  }
}

/** Nothing of the value is repeated: any part of a broken one may be a password. */
const invalidError = (): IamTokensError =>
  new IamTokensError(
    "ERR_PROXY_INVALID",
    words`The proxy in ${ofProcess("HTTPS_PROXY")} is not an http or https address of a host, with percent-encoded credentials if any.`,
  );
