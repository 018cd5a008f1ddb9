import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import type { Pool } from "undici";
import { defined } from "../../tokens";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import { AnswerCollector } from "./answer-collector";
import type { PooledRequest } from "./connection-pool";
import type { Connect } from "./connector";
import { lookupLocalhost } from "./localhost";
import { type HttpProxy, type ProxyEnvironment, proxyFor } from "./proxy";
import { type ExtraCertificates, readExtraCertificates, tlsContext } from "./tls-context";
import type { Outcome, SendOptions, Transport, WireRequest } from "./transport";

/** Dependencies of the transport. */
interface HttpTransportOptions {
  readonly limits: Limits;
  readonly env: ProxyEnvironment;
  readonly now: () => number;
  readonly extraCaFile?: string;
  /** Resolves names; by default the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
}

/** Number of services with their own certificates that are kept ready. */
const MAX_ROUTES = 64;

/** A pool, with the proxy of its connections. */
interface Route {
  readonly pool: Pool;
  readonly proxy: HttpProxy | undefined;
}

/** The transport over undici: a connection pool for each service and TLS material. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #routes = new Map<string, Route>();
  /** Includes those of pools without a route. */
  readonly #underWay = new Set<AnswerCollector>();
  #extra: ExtraCertificates | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(request: WireRequest, options: SendOptions): Promise<Outcome> {
    const { limits, now } = this.#options;
    const { timeoutMs, wantsBody, signal } = options;
    const { connectMs, bodyBytes } = limits;
    const url = new URL(request.url);
    const { pool, proxy } = this.#routeOf(url, options.tls ?? {});
    const collector = new AnswerCollector({
      connectMs,
      timeoutMs,
      bodyBytes,
      wantsBody,
      signal,
      now,
    });
    this.#underWay.add(collector);
    const { method, headers, body = null } = request;
    const pooled: PooledRequest = {
      method,
      path: url.pathname,
      headers,
      body,
      over: collector.over,
    };
    if (!signal.aborted) pool.dispatch(pooled, collector);
    const outcome = await collector.outcome;
    this.#underWay.delete(collector);
    if (outcome.kind === "answer") return outcome;
    const note = outcome.fault === "tls" ? this.#extra?.note : undefined;
    return { ...outcome, ...defined({ proxy: proxy?.display, note }) };
  }

  async close(): Promise<void> {
    for (const collector of this.#underWay) collector.cancel();
    const pools = [...this.#routes.values()].map(({ pool }) => pool.destroy());
    this.#routes.clear();
    await Promise.all(pools);
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
      // Closes after its last request.
      oldest[1].pool.close(() => {});
    }
    return route;
  }

  #newPool(url: URL, tls: TlsMaterial, proxy: HttpProxy | undefined): Pool {
    const { limits } = this.#options;
    const lookup = url.hostname === "localhost" ? lookupLocalhost : this.#options.lookup;
    const isSecure = url.protocol === "https:";
    const context = isSecure ? tlsContext(tls, this.#extraCertificates()) : undefined;
    // The service's CA and our certificate are not for the proxy.
    const proxyContext = proxy?.tls ? tlsContext({}, this.#extraCertificates()) : undefined;
    const { connect } = this.#options;
    // Together with undici, whose loading takes as long as the rest of this room: a pause between
    // two launches of the provider has time for one of them.
    const { connectionPool } = require("./connection-pool") as typeof import("./connection-pool");
    const options = defined({ connect, context, proxy, proxyContext, lookup });
    return connectionPool(url.origin, { ...options, ...limits });
  }

  #extraCertificates(): ExtraCertificates {
    this.#extra ??= readExtraCertificates(this.#options.extraCaFile);
    return this.#extra;
  }
}

/**
 * Only requests with the same trust and the same client certificate share connections. A digest, to
 * keep keys out of a map.
 */
function routeKey(url: URL, tls: TlsMaterial): string {
  const material = JSON.stringify([tls.ca ?? null, tls.cert ?? null, tls.key?.reveal() ?? null]);
  return `${url.origin} ${createHash("sha256").update(material).digest("base64")}`;
}
