import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import Pool from "undici/lib/dispatcher/pool.js";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import type { WireRequest } from "../request/wire-request";
import { AnswerCollector } from "./answer-collector";
import { type Connect, connectorOf } from "./connector";
import { lookupLocalhost } from "./localhost";
import { type HttpProxy, type ProxyEnvironment, proxyFor } from "./proxy";
import { type ExtraCertificates, readExtraCertificates, tlsContext } from "./tls-context";
import type { Outcome, SendOptions, Transport } from "./transport";

/** What the transport needs of the outside. */
export interface UndiciTransportOptions {
  readonly limits: Limits;
  readonly env: ProxyEnvironment;
  readonly now: () => number;
  readonly extraCaFile?: string;
  /** Resolves names; by default the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
}

/** Below the 5 s after which Keystone's server closes an idle connection: whoever closes first must be us, or a request gets lost. */
const KEEP_ALIVE_MS = 3_500;
/** Services with certificates of their own that are kept ready. */
const MAX_ROUTES = 64;

/** A pool, with the proxy that its connections go through. */
interface Route {
  readonly pool: Pool;
  readonly proxy: HttpProxy | undefined;
}

/** The transport over undici: a pool of connections for each service and TLS material. */
export class UndiciTransport implements Transport {
  readonly #options: UndiciTransportOptions;
  readonly #routes = new Map<string, Route>();
  #extra: ExtraCertificates | undefined;

  constructor(options: UndiciTransportOptions) {
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
    try {
      pool.dispatch(
        { path: url.pathname, method: request.method, headers: { ...request.headers }, body: request.body ?? null },
        collector,
      );
    } catch (error) {
      // Only a request that HTTP cannot carry comes here; the error may quote it.
      collector.onResponseError(undefined, error);
    }
    const outcome = await collector.outcome;
    if (outcome.kind === "answer") return outcome;
    const note = outcome.fault === "tls" ? this.#extra?.note : undefined;
    return {
      ...outcome,
      ...(proxy === undefined ? {} : { proxy: proxy.shown }),
      ...(note === undefined ? {} : { note }),
    };
  }

  async close(): Promise<void> {
    const routes = [...this.#routes.values()];
    this.#routes.clear();
    await Promise.all(routes.map(({ pool }) => pool.destroy()));
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
      // Ends when its last request has ended.
      oldest[1].pool.close().catch(() => {});
    }
    return route;
  }

  #newPool(url: URL, tls: TlsMaterial, proxy: HttpProxy | undefined): Pool {
    const { limits } = this.#options;
    const lookup = url.hostname === "localhost" ? lookupLocalhost : this.#options.lookup;
    const context = url.protocol === "https:" ? tlsContext(tls, this.#extraCertificates()) : undefined;
    return new Pool(url.origin, {
      connections: limits.connections,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: limits.headerBytes,
      // Times are kept by the collector: undici's are coarse, and start anew with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect:
        this.#options.connect ??
        connectorOf({
          connectMs: limits.connectMs,
          ...(context === undefined ? {} : { context }),
          ...(proxy === undefined ? {} : { proxy }),
          // The service's CA and our certificate are no business of the proxy's.
          ...(proxy?.tls ? { proxyContext: tlsContext({}, this.#extraCertificates()) } : {}),
          ...(lookup === undefined ? {} : { lookup }),
        }),
    });
  }

  #extraCertificates(): ExtraCertificates {
    this.#extra ??= readExtraCertificates(this.#options.extraCaFile);
    return this.#extra;
  }
}

/** Connections are shared only between requests that trust and show the same. A digest, so that no key stands in a map. */
function routeKey(url: URL, tls: TlsMaterial): string {
  const material = JSON.stringify([tls.ca ?? null, tls.cert ?? null, tls.key?.reveal() ?? null]);
  return `${url.origin} ${createHash("sha256").update(material).digest("base64")}`;
}
