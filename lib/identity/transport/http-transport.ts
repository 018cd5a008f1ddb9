import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import { defined } from "../../tokens";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import { AnswerCollector } from "./answer-collector";
import { type Connect, ConnectError, connection, targetOf } from "./connector";
import { exchange } from "./exchange";
import { lookupLocalhost } from "./localhost";
import { type HttpProxy, type ProxyEnvironment, proxyFor } from "./proxy";
import { faultOf } from "./socket-fault";
import { type ExtraCertificates, readExtraCertificates, tlsContext } from "./tls-context";
import type { Outcome, SendOptions, Transport, WireRequest } from "./transport";
import { throughProxy } from "./tunnel";

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

/** How a service is reached. */
interface Route {
  readonly connect: Connect;
  readonly proxy: HttpProxy | undefined;
}

/** The transport over undici: a connection for each request. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  readonly #routes = new Map<string, Route>();
  readonly #underWay = new Set<AnswerCollector>();
  #extra: ExtraCertificates | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(request: WireRequest, options: SendOptions): Promise<Outcome> {
    const { limits, now } = this.#options;
    const { timeoutMs, wantsBody, signal } = options;
    const { connectMs } = limits;
    const { bodyBytes = limits.bodyBytes } = options;
    const url = new URL(request.url);
    const route = this.#routeOf(url, options.tls ?? {});
    const collector = new AnswerCollector({
      connectMs,
      timeoutMs,
      bodyBytes,
      wantsBody,
      signal,
      now,
    });
    this.#underWay.add(collector);
    void this.#exchange(url, request, route.connect, collector);
    const outcome = await collector.outcome;
    this.#underWay.delete(collector);
    if (outcome.kind === "answer") return outcome;
    const note = outcome.fault === "tls" ? this.#extra?.note : undefined;
    return { ...outcome, ...defined({ proxy: route.proxy?.display, note }) };
  }

  async close(): Promise<void> {
    for (const collector of this.#underWay) collector.cancel();
    this.#routes.clear();
  }

  async #exchange(
    url: URL,
    { method, headers, body }: WireRequest,
    connect: Connect,
    collector: AnswerCollector,
  ): Promise<void> {
    if (collector.over.aborted) return;
    try {
      const socket = await connect(targetOf(url), collector.over);
      if (!collector.takes(socket)) return;
      const { origin, pathname, search } = url;
      const { headerBytes } = this.#options.limits;
      exchange(
        socket,
        { origin, headerBytes, method, path: pathname + search, headers, body: body ?? null },
        collector,
      );
    } catch (error) {
      collector.fail(error instanceof ConnectError ? error.fault : faultOf(error));
    }
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
    const route = { connect: this.#options.connect ?? this.#connectorOf(url, tls, proxy), proxy };
    this.#routes.set(key, route);
    const [oldest] = this.#routes.keys();
    if (this.#routes.size > MAX_ROUTES && oldest !== undefined) this.#routes.delete(oldest);
    return route;
  }

  #connectorOf(url: URL, tls: TlsMaterial, proxy: HttpProxy | undefined): Connect {
    const lookup = url.hostname === "localhost" ? lookupLocalhost : this.#options.lookup;
    const isSecure = url.protocol === "https:";
    const context = isSecure ? tlsContext(tls, this.#extraCertificates()) : undefined;
    if (proxy === undefined)
      return (target, signal) => connection(target, defined({ context, lookup }), signal);
    // The service's CA and our certificate are not for the proxy.
    const proxyContext = proxy.tls ? tlsContext({}, this.#extraCertificates()) : undefined;
    return throughProxy(proxy, defined({ context, proxyContext, lookup }));
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
