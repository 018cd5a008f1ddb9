import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
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
import { tunnel } from "./tunnel";

/** Dependencies of the transport. */
interface HttpTransportOptions {
  readonly limits: Limits;
  readonly env: ProxyEnvironment;
  readonly now: () => number;
  /** Resolves names; by default the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
}

const SILENT = "It was accepted, but no TLS began: the port may be one for http.";

/** The transport over undici: a connection for each request. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  /** Made once for all connections: the public CAs take long to load. */
  readonly #contexts = new Map<string, SecureContext>();
  readonly #underWay = new Set<AnswerCollector>();
  #extra: ExtraCertificates | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(
    request: WireRequest,
    { signal, tls = {}, timeoutMs, wantsBody }: SendOptions,
  ): Promise<Outcome> {
    const { limits, now, env } = this.#options;
    const url = new URL(request.url);
    const proxy = proxyFor(url, env);
    let isAccepted = false;
    const accepted = () => {
      isAccepted = true;
    };
    const connect = this.#options.connect ?? this.#connectorOf(url, tls, proxy, accepted);
    const collector = new AnswerCollector({
      ...limits,
      timeoutMs,
      wantsBody,
      signal,
      now,
    });
    this.#underWay.add(collector);
    void this.#exchange(url, request, connect, collector);
    const outcome = await collector.outcome;
    this.#underWay.delete(collector);
    if (outcome.kind === "answer") return outcome;
    const silent = outcome.fault === "connect_timeout" && isAccepted ? SILENT : undefined;
    const note = outcome.fault === "tls" ? this.#extra?.note : silent;
    return { ...outcome, ...defined({ proxy: proxy?.display, note }) };
  }

  async close(): Promise<void> {
    for (const collector of this.#underWay) collector.cancel();
    this.#contexts.clear();
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

  #connectorOf(
    url: URL,
    tls: TlsMaterial,
    proxy: HttpProxy | undefined,
    accepted: () => void,
  ): Connect {
    const lookup = url.hostname === "localhost" ? lookupLocalhost : this.#options.lookup;
    const isSecure = url.protocol === "https:";
    const context = isSecure ? this.#contextOf(tls) : undefined;
    if (proxy === undefined)
      return (target, signal) => connection(target, defined({ context, lookup, accepted }), signal);
    // The service's CA and our certificate are not for the proxy.
    const ofProxy = defined({ context: proxy.tls ? this.#contextOf({}) : undefined, lookup });
    return async (target, signal) => {
      const through = await tunnel(proxy, target, ofProxy, signal);
      return connection(target, defined({ context, lookup, through, accepted }), signal);
    };
  }

  /** By a digest, to keep keys out of a map. */
  #contextOf(tls: TlsMaterial): SecureContext {
    const material = JSON.stringify([tls.ca ?? null, tls.cert ?? null, tls.key?.reveal() ?? null]);
    const key = createHash("sha256").update(material).digest("base64");
    this.#extra ??= readExtraCertificates(this.#options.env);
    const context = this.#contexts.get(key) ?? tlsContext(tls, this.#extra);
    this.#contexts.set(key, context);
    return context;
  }
}
