import { defined, IamTokensError, isLoopbackHost, parseUrl, Secret } from "../../tokens";
import { isExempt } from "./no-proxy";

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

function parseProxy(text: string): HttpProxy {
  // Nothing of the value is repeated: any part of a broken one may be a password.
  const refuse = (problem: string): never => {
    throw new IamTokensError("ERR_PROXY_INVALID", `The proxy in HTTPS_PROXY ${problem}.`);
  };
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = /[\s\\\p{Cc}]/u.test(address) ? undefined : parseUrl(address);
  if (url === undefined) return refuse("is not an address");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse("has an unsupported scheme");
  if (url.hostname === "") return refuse("has no host");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return refuse("has a path, query or fragment");
  const tls = url.protocol === "https:";
  const display = `${url.hostname}:${url.port || (tls ? 443 : 80)}`;
  return { tls, origin: url.origin, display, ...defined({ authorization: basic(url, refuse) }) };
}

function basic(url: URL, refuse: (problem: string) => never): Secret | undefined {
  if (url.username === "" && url.password === "") return undefined;
  try {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return Secret.of(`Basic ${Buffer.from(pair, "utf8").toString("base64")}`);
  } catch {
    return refuse("has credentials that are not percent-encoded");
  }
}
