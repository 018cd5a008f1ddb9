import { createHash } from "node:crypto";
import type { SecureContext } from "node:tls";
import { defined } from "../../tokens";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import { connectFirst, type Lookup } from "./addresses";
import { AnswerCollector } from "./answer-collector";
import { type Connect, ConnectError, secured, targetOf } from "./connector";
import { dispatch } from "./dispatch";
import { type ProxyEnvironment, proxyFor } from "./proxy";
import { faultOf } from "./socket-fault";
import { type ExtraCertificates, readExtraCertificates, tlsContext } from "./tls-context";
import type { Outcome, SendOptions, Transport, WireRequest } from "./transport";
import { tunnel } from "./tunnel";
import { USER_AGENT } from "./user-agent";

/** Dependencies of the transport. */
export interface HttpTransportOptions {
  readonly limits: Limits;
  /** Source of proxies and trusted CAs. */
  readonly env: ProxyEnvironment;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves names; by default the system's resolver. */
  readonly lookup?: Lookup;
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
}

const SILENT = "It was accepted, but no TLS began: the port may be one for http.";

/** The transport over undici: a connection for each request. */
export class HttpTransport implements Transport {
  readonly #options: HttpTransportOptions;
  /** Made once for all connections: the public CAs take long to load. */
  readonly #contexts = new Map<string, SecureContext>();
  #extra: ExtraCertificates | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(
    { method, headers, body, bodyOf = [], ...request }: WireRequest,
    { signal, tls = {}, timeoutMs }: SendOptions,
  ): Promise<Outcome> {
    const { limits, now, env, lookup } = this.#options;
    const url = new URL(request.url);
    const { origin, pathname, search } = url;
    const { headerBytes } = limits;
    const path = pathname + search;
    const named = { "user-agent": USER_AGENT, ...headers };
    const sent = { origin, headerBytes, method, path, headers: named, body: body ?? null };
    const proxy = proxyFor(url, env);
    // Before anything is sent: an unusable setting is an error, not a fault of the connection.
    const context = url.protocol === "https:" ? this.#contextOf(tls) : undefined;
    // The service's CA and our certificate are not for the proxy.
    const proxyContext = proxy?.tls ? this.#contextOf({}) : undefined;
    let isAccepted = false;
    const connectTo: Connect = async (target, over) => {
      const first = proxy === undefined ? target : targetOf(new URL(proxy.origin));
      let socket = await connectFirst(first, lookup, over);
      if (proxyContext !== undefined)
        socket = await secured(socket, first.host, proxyContext, over);
      if (proxy !== undefined) await tunnel(socket, proxy, target, over);
      if (context === undefined) return socket;
      isAccepted = true;
      return secured(socket, target.host, context, over);
    };
    const collector = new AnswerCollector({ ...limits, timeoutMs, bodyOf, signal, now });
    const over = collector.over.signal;
    if (!over.aborted)
      (this.#options.connect ?? connectTo)(targetOf(url), over)
        .then((socket) => collector.takes(socket) && dispatch(socket, sent, collector))
        .catch((error) =>
          collector.fail(error instanceof ConnectError ? error.fault : faultOf(error)),
        );
    const outcome = await collector.outcome;
    if (outcome.kind === "answer") return outcome;
    const silent = outcome.fault === "connect_timeout" && isAccepted ? SILENT : undefined;
    const note = outcome.fault === "tls" ? this.#extra?.notes.join(" ") || undefined : silent;
    return { ...outcome, ...defined({ proxy: proxy?.display, note }) };
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
