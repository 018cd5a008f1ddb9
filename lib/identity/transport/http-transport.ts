import { createHash } from "node:crypto";
import type { LookupFunction } from "node:net";
import type { Duplex, Readable } from "node:stream";
import type { SecureContext } from "node:tls";
import { defined } from "../../tokens";
import type { TlsMaterial } from "../credential";
import type { Limits } from "../limits";
import { type Connect, connected, secured, type Target, targetOf } from "./connector";
import { type ProxyEnvironment, proxyFor } from "./proxy";
import { requestOn } from "./single-use-client";
import { FaultError, faultOf } from "./socket-fault";
import { type ExtraCertificates, readExtraCertificates, tlsContext } from "./tls-context";
import type {
  Answer,
  BodyEnd,
  Fault,
  FaultKind,
  Outcome,
  SendOptions,
  Transport,
  WireRequest,
} from "./transport";
import { tunnel } from "./tunnel";

/** Dependencies of the transport. */
export interface HttpTransportOptions {
  readonly limits: Limits;
  /** Source of proxies and trusted CAs. */
  readonly env: ProxyEnvironment;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves names; by default the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Makes connections, instead of those to the service or its proxy. */
  readonly connect?: Connect;
}

/** Node.js's own servers, for one, close without a word of TLS. */
const REFUSED = "The service may refuse the client certificate: some close the connection then.";
const SILENT = "It was accepted, but no TLS began: the port may be one for http.";

/** The transport over undici: a connection for each request. */
export class HttpTransport implements Transport {
  /** Made once for all connections: the public CAs take long to load. */
  readonly #contexts = new Map<string, SecureContext>();
  #extra: ExtraCertificates | undefined;

  constructor(private readonly options: HttpTransportOptions) {}

  async send(
    { method, headers, body, bodyOf = [], ...request }: WireRequest,
    { signal, tls = {}, timeoutMs }: SendOptions,
  ): Promise<Outcome> {
    const { limits, now, connect } = this.options;
    const url = new URL(request.url);
    const way = this.#wayTo(url, tls);
    /** Aborted when nothing more is needed, with the reason. */
    const over = new AbortController();
    const end = (why: FaultKind) => over.abort(why);
    const cancel = () => end("cancelled");
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    let socket: Duplex | undefined;
    const timers = [
      setTimeout(() => socket ?? end("connect_timeout"), limits.connectMs),
      setTimeout(() => end(socket ? "no_answer" : "connect_timeout"), timeoutMs),
    ];
    let head: Pick<Answer, "kind" | "status" | "headers" | "receivedAt"> | undefined;
    try {
      over.signal.throwIfAborted();
      socket = await (connect ?? way.connect)(targetOf(url), over.signal);
      const path = url.pathname + url.search;
      const answer = await requestOn(
        socket,
        { origin: url.origin, method, path, headers, body: body ?? null, signal: over.signal },
        limits,
      );
      const { statusCode: status } = answer;
      head = { kind: "answer", status, headers: pairs(answer.headers), receivedAt: now() };
      // Its end is an error for it, as for one that is being read.
      answer.body.on("error", () => {});
      return bodyOf.includes(status)
        ? { ...head, body: await bytesOf(answer.body), end: "complete" }
        : { ...head, body: NOTHING, end: "unread" };
    } catch (error) {
      const why: FaultKind | undefined = over.signal.reason;
      if (head !== undefined && why !== "cancelled")
        return { ...head, body: NOTHING, end: why ? "too slow" : endOf(error) };
      const fault: Fault = why ? { kind: "fault", fault: why } : faultOf(error, socket);
      const silent = why === "connect_timeout" && way.isSecuring ? SILENT : undefined;
      const closed = fault.code === "ECONNRESET" && tls.cert ? REFUSED : silent;
      const note =
        fault.fault === "certificate" ? this.#extra?.notes.join(" ") || undefined : closed;
      const { proxy, atProxy } = way;
      return { ...fault, ...defined({ proxy, note }), ...(atProxy && { atProxy }) };
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      socket?.destroy();
    }
  }

  /** How a connection to an address is made, and how far that is. */
  #wayTo(url: URL, tls: TlsMaterial) {
    const { env, limits, lookup } = this.options;
    const proxy = proxyFor(url, env);
    // Before anything is sent: an unusable setting is an error, not a fault of the connection.
    const context = url.protocol === "https:" ? this.#contextOf(tls) : undefined;
    // The service's CA and our certificate are not for the proxy.
    const proxyContext = proxy?.tls ? this.#contextOf({}) : undefined;
    const connect: Connect = async (target, signal) => {
      const first = proxy === undefined ? target : targetOf(new URL(proxy.origin));
      const secure = async (plain: Duplex, { host }: Target, by: SecureContext) => {
        way.isSecuring = true;
        const socket = await secured(plain, host, by, signal);
        way.isSecuring = false;
        return socket;
      };
      let socket: Duplex = await connected(first, lookup, signal);
      if (proxyContext) socket = await secure(socket, first, proxyContext);
      if (proxy) await tunnel(socket, proxy, target, limits, signal);
      way.atProxy = false;
      return context ? secure(socket, target, context) : socket;
    };
    const way = { connect, proxy: proxy?.display, atProxy: proxy !== undefined, isSecuring: false };
    return way;
  }

  /** By a digest, to keep keys out of a map. */
  #contextOf(tls: TlsMaterial): SecureContext {
    const material = JSON.stringify([tls.ca ?? null, tls.cert ?? null, tls.key?.reveal() ?? null]);
    const key = createHash("sha256").update(material).digest("base64");
    this.#extra ??= readExtraCertificates(this.options.env);
    const context = this.#contexts.get(key) ?? tlsContext(tls, this.#extra);
    this.#contexts.set(key, context);
    return context;
  }
}

const NOTHING = new Uint8Array();

const endOf = (error: unknown): BodyEnd => (error instanceof FaultError ? "too long" : "cut off");

/** As a string: a chunk may have a single byte, and needs hundreds as an object. */
async function bytesOf(body: Readable): Promise<Uint8Array> {
  let text = "";
  for await (const chunk of body) text += chunk.toString("latin1");
  return Buffer.from(text, "latin1");
}

/** Header names and values, one character per byte. Blanks after a value are not part of it. */
function pairs(raw: unknown): [string, string][] {
  const parts: readonly string[] = Array.isArray(raw) ? raw : [];
  return Array.from({ length: parts.length >> 1 }, (_, pair) => [
    String(parts[2 * pair]),
    String(parts[2 * pair + 1]).replace(/(?<![ \t])[ \t]+$/, ""),
  ]);
}
