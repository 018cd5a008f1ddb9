import { createHash } from "node:crypto";
import { ClientRequest } from "node:http";
import type { LookupFunction } from "node:net";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import type { WireRequest } from "../request/wire-request";
import { AnswerCollector } from "./answer-collector";
import { ConnectionPool, type PooledRequest } from "./connection-pool";
import { type Connect, connectorOf } from "./connector";
import { lookupLocalhost } from "./localhost";
import { type HttpProxy, type ProxyEnvironment, proxyFor } from "./proxy";
import { type ExtraCertificates, readExtraCertificates, tlsContext } from "./tls-context";
import type { Outcome, SendOptions, Transport } from "./transport";
import { unbracketed } from "./unbracketed";

/** What the transport needs of the outside. */
export interface HttpTransportOptions {
  readonly limits: Limits;
  readonly env: ProxyEnvironment;
  readonly now: () => number;
  readonly extraCaFile?: string;
  /** Resolves names; by default the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
}

/** Services with certificates of their own that are kept ready. */
const MAX_ROUTES = 64;

/** A pool, with the proxy that its connections go through. */
interface Route {
  readonly pool: ConnectionPool;
  readonly proxy: HttpProxy | undefined;
}

/**
 * The transport over Node.js's own HTTP/1.1: a pool of connections for each service and TLS
 * material.
 */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #routes = new Map<string, Route>();
  /** Also those of pools that are no route's any more. */
  readonly #underWay = new Set<AnswerCollector>();
  #extra: ExtraCertificates | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(request: WireRequest, options: SendOptions): Promise<Outcome> {
    const { limits, now } = this.#options;
    const url = new URL(request.url);
    const { pool, proxy } = this.#routeOf(url, options.tls ?? {});
    const collector = new AnswerCollector({
      connectMs: limits.connectMs,
      timeoutMs: options.timeoutMs,
      bodyBytes: limits.bodyBytes,
      wantsBody: options.wantsBody,
      signal: options.signal,
      now,
    });
    this.#underWay.add(collector);
    try {
      const pooled: PooledRequest = {
        agent: pool,
        over: collector.over,
        method: request.method,
        path: url.pathname,
        setHost: false,
        servername: "",
        maxHeaderSize: limits.headerBytes,
        // Explicit, so that no option of Node.js's makes it lenient.
        insecureHTTPParser: false,
      };
      // Not by http.request: what others put in its place, as some do for proxies, would send the
      // request elsewhere, without TLS.
      const sent = new ClientRequest(pooled);
      // All that their bytes allow. Else Node.js leaves out those behind the first thousand, a
      // second token among them.
      sent.maxHeadersCount = 0;
      collector.follow(sent);
      // No options of the request: Node.js writes those out by NODE_DEBUG=http.
      for (const [name, value] of Object.entries({ ...request.headers, host: url.host }))
        sent.setHeader(name, value);
      sent.end(request.body);
    } catch (error) {
      // Only a request that HTTP cannot carry comes here; the error may quote it.
      collector.fail(error);
    }
    const outcome = await collector.outcome;
    this.#underWay.delete(collector);
    if (outcome.kind === "answer") return outcome;
    const note = outcome.fault === "tls" ? this.#extra?.note : undefined;
    return {
      ...outcome,
      ...(proxy === undefined ? {} : { proxy: proxy.shown }),
      ...(note === undefined ? {} : { note }),
    };
  }

  async close(): Promise<void> {
    for (const collector of this.#underWay) collector.cancel();
    for (const { pool } of this.#routes.values()) pool.retire();
    this.#routes.clear();
  }

  #routeOf(url: URL, tls: TlsMaterial): Route {
    const key = routeKey(url, tls);
    const known = this.#routes.get(key);
    if (known !== undefined) {
      this.#routes.delete(key);
      this.#routes.set(key, known);
      return known;
    }
    const proxy = proxyFor(url, this.#options.env);
    const route = { pool: this.#newPool(url, tls, proxy), proxy };
    this.#routes.set(key, route);
    const [oldest] = this.#routes;
    if (this.#routes.size > MAX_ROUTES && oldest !== undefined) {
      this.#routes.delete(oldest[0]);
      oldest[1].pool.retire();
    }
    return route;
  }

  #newPool(url: URL, tls: TlsMaterial, proxy: HttpProxy | undefined): ConnectionPool {
    const { limits } = this.#options;
    const lookup = url.hostname === "localhost" ? lookupLocalhost : this.#options.lookup;
    const context =
      url.protocol === "https:" ? tlsContext(tls, this.#extraCertificates()) : undefined;
    const connect =
      this.#options.connect ??
      connectorOf({
        host: unbracketed(url.hostname),
        port: Number(url.port || (context === undefined ? 80 : 443)),
        connectMs: limits.connectMs,
        ...(context === undefined ? {} : { context }),
        ...(proxy === undefined ? {} : { proxy }),
        // The service's CA and our certificate are no business of the proxy's.
        ...(proxy?.tls ? { proxyContext: tlsContext({}, this.#extraCertificates()) } : {}),
        ...(lookup === undefined ? {} : { lookup }),
      });
    return new ConnectionPool({ connect, idle: limits.connections });
  }

  #extraCertificates(): ExtraCertificates {
    this.#extra ??= readExtraCertificates(this.#options.extraCaFile);
    return this.#extra;
  }
}

/**
 * Connections are shared only between requests that trust and show the same. A digest, so that no
 * key stands in a map.
 */
function routeKey(url: URL, tls: TlsMaterial): string {
  const material = JSON.stringify([tls.ca ?? null, tls.cert ?? null, tls.key?.reveal() ?? null]);
  return `${url.origin} ${createHash("sha256").update(material).digest("base64")}`;
}
