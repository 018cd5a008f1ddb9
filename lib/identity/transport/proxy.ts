import { defined, IamTokensError, isLoopbackHost, parseUrl, Secret } from "../../tokens";
import { isExempt } from "./no-proxy";

/** The proxy that a request goes through. */
export interface HttpProxy {
  readonly tls: boolean;
  readonly origin: string;
  /** Host and port, for messages: never its credentials. */
  readonly shown: string;
  /** The value of Proxy-Authorization. */
  readonly authorization?: Secret;
}

/** The environment as a plain record. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address, by https_proxy or HTTPS_PROXY and no_proxy or NO_PROXY (of both
 * spellings the lower-case one, as curl does; an empty one is as if it were not set). Loopback
 * never goes through a proxy, whatever they say, and http is loopback.
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
  // Nothing of the text is repeated: it may hold a password wherever it is broken.
  const refuse = (problem: string): never => {
    throw new IamTokensError("ERR_PROXY_INVALID", `The proxy in HTTPS_PROXY ${problem}.`);
  };
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = /[\s\\\p{Cc}]/u.test(address) ? undefined : parseUrl(address);
  if (url === undefined) return refuse("is not an address");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refuse("is of a kind that is not supported");
  if (url.hostname === "") return refuse("has no host");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return refuse("has a path, query or fragment");
  const tls = url.protocol === "https:";
  const shown = `${url.hostname}:${url.port || (tls ? 443 : 80)}`;
  return { tls, origin: url.origin, shown, ...defined({ authorization: basic(url, refuse) }) };
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
