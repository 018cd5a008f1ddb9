import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { IamTokensError, isLoopbackHost, Secret } from "../tokens";
import { makeThrowAwayCertificate } from "./certificates/throw-away-certificate";
import { Directory } from "./identity/directory";
import type { IdentityAnswer, IdentityState } from "./identity/exchange";
import { answerRequest } from "./identity/handlers";
import { Journal, type JournalEntry } from "./identity/journal";
import { MAX_REQUEST_BODY_BYTES, requestTooLarge } from "./identity/keystone-answers";
import { type EmbeddedIdentityConfig, type IdentitySettings, parseSettings } from "./identity/settings";
import { type TokenDescription, TokenRegister } from "./identity/token-register";

/** Where time and chance come from. */
export interface EmbeddedIdentityOptions {
  /** Milliseconds since 1970. Lifetimes, the journal and the Date header go by it. Default: the machine's clock. */
  readonly now?: () => number;
  /** Waits for the latency. Default: a timer, ended early by `stop()`. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Default: the machine's random source. */
  readonly randomBytes?: (size: number) => Buffer;
}

/**
 * An identity service inside a test: it answers as Keystone does, for the accounts and users that it is given.
 *
 * It listens on loopback, on a free port, and forgets everything when it stops. It is for tests only.
 *
 * @example
 * const identity = await EmbeddedIdentityService.start({
 *   accountId: "123456",
 *   serviceUsers: [{ name: "deployer", password: "…", permission: { account: true, projects: ["web"] } }],
 * });
 * identity.authUrl;        // what a stack is pointed to
 * identity.journal;        // what was asked
 * await identity.stop();
 * @see spec, "Issue an IAM token"
 */
export class EmbeddedIdentityService {
  /** The address to give to a stack: `http://127.0.0.1:PORT`. */
  readonly authUrl: string;
  readonly port: number;
  /** The certificate authority that a client has to trust, as PEM. Undefined with http. */
  readonly ca: string | undefined;
  /** Whether only this machine reaches it. */
  readonly loopbackOnly: boolean;
  readonly #server: Server;
  readonly #state: IdentityState;
  readonly #journal: Journal;
  readonly #stopping: AbortController;

  private constructor(service: RunningService) {
    this.#server = service.server;
    this.#state = service.state;
    this.#journal = service.journal;
    this.#stopping = service.stopping;
    const { host } = service.settings;
    const { tls } = service;
    this.port = (service.server.address() as AddressInfo).port;
    this.authUrl = `${tls === undefined ? "http" : "https"}://${toUrlHost(host)}:${this.port}`;
    this.ca = tls?.ca;
    this.loopbackOnly = isLoopbackHost(toHostname(host));
  }

  /**
   * Starts a server.
   *
   * @throws ERR_TESTING_CONFIG_INVALID when the configuration is wrong, with the path of each mistake
   * @throws ERR_LISTEN_FAILED when the port is taken or may not be used
   */
  static async start(config: EmbeddedIdentityConfig, options: EmbeddedIdentityOptions = {}): Promise<EmbeddedIdentityService> {
    const settings = parseSettings(config);
    const now = options.now ?? Date.now;
    const random = options.randomBytes ?? randomBytes;
    const directory = new Directory(settings.accounts);
    const tokens = new TokenRegister({ now, randomBytes: random, lifetimeSeconds: settings.tokenLifetimeSeconds });
    const journal = new Journal(directory.passwords());
    const stopping = new AbortController();
    const state = { directory, tokens };
    const wait = options.wait ?? ((milliseconds, signal) => sleep(milliseconds, undefined, { signal }));
    const listener: RequestListener = (request, response) => {
      respond(request, response, { state, journal, settings, now, random, wait, signal: stopping.signal }).catch(() => {
        response.destroy();
      });
    };
    const tls = toServerTls(settings);
    const server = await listen(createFor(tls, listener), settings);
    return new EmbeddedIdentityService({ server, state, journal, settings, stopping, tls });
  }

  /** The address of the Keystone in it: `…/identity/v3`. */
  get keystoneUrl(): string {
    return `${this.authUrl}/identity/v3`;
  }

  /** What was asked so far, oldest first. It holds no password and no token. */
  get journal(): readonly JournalEntry[] {
    return this.#journal.entries();
  }

  /** Forgets what was asked so far. */
  clearJournal(): void {
    this.#journal.clear();
  }

  /** Whether a token was issued here, and is neither expired nor revoked. */
  isValid(token: string): boolean {
    return this.#state.tokens.find(token).status === "valid";
  }

  /** Whose a token is, and what for: what a product API asks about the token of a request. */
  describeToken(token: string): TokenDescription {
    return this.#state.tokens.describe(token);
  }

  /**
   * Every token that was issued here, oldest first: what a test searches for in all that a run leaves behind.
   *
   * @example scanForLeaks({ canaries: Object.fromEntries(identity.issuedTokens().entries()), folders: ["cdktf.out"] })
   */
  issuedTokens(): string[] {
    return this.#state.tokens.all();
  }

  /** Ends every connection, then the server. Stopping twice is fine. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

interface RunningService {
  readonly server: Server;
  readonly state: IdentityState;
  readonly journal: Journal;
  readonly settings: IdentitySettings;
  readonly stopping: AbortController;
  readonly tls: ServerTls | undefined;
}

interface ServerTls {
  readonly certificate: string;
  readonly key: Secret;
  readonly ca: string;
}

interface Circumstances {
  readonly state: IdentityState;
  readonly journal: Journal;
  readonly settings: IdentitySettings;
  readonly now: () => number;
  readonly random: (size: number) => Buffer;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

function toServerTls({ tls, host }: IdentitySettings): ServerTls | undefined {
  if (tls === undefined) return undefined;
  if (tls !== "throw-away") return { certificate: tls.certificate, key: tls.key, ca: tls.ca ?? tls.certificate };
  const made = makeThrowAwayCertificate(host);
  return { ...made, key: Secret.of(made.key) };
}

function createFor(tls: ServerTls | undefined, listener: RequestListener): Server {
  if (tls === undefined) return createServer(listener);
  try {
    return createTlsServer({ cert: tls.certificate, key: tls.key.reveal(), minVersion: "TLSv1.2" }, listener);
  } catch {
    // The cause is dropped: it may show the key.
    throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", "tls: certificate and key are not PEM texts that belong together.");
  }
}

async function listen(server: Server, { host, port }: IdentitySettings): Promise<Server> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${error.code ?? "unknown error"})`;
      reject(new IamTokensError("ERR_LISTEN_FAILED", `Port ${port} of ${host} ${why}.`));
    });
    server.listen(port, host, () => resolve());
  });
  server.removeAllListeners("error");
  return server;
}

async function respond(incoming: IncomingMessage, response: ServerResponse, at: Circumstances): Promise<void> {
  const body = await readBody(incoming);
  if (at.settings.latencyMs > 0) await at.wait(at.settings.latencyMs, at.signal);
  const [path = "/", query = ""] = splitOnce(incoming.url ?? "/", "?");
  const method = incoming.method ?? "GET";
  const scheme = at.settings.tls === undefined ? "http" : "https";
  const origin = `${scheme}://${incoming.headers.host ?? "localhost"}`;
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(", ")]));
  const answer = body === undefined ? requestTooLarge() : answerRequest({ method, path, query, headers, body, origin }, at.state);
  // Only what Keystone itself answers has an id: plain text comes from what stands around it.
  const requestId = answer.headers.Vary === undefined ? null : toRequestId(at.random(16));
  at.journal.record({ at: new Date(at.now()).toISOString(), method, path, status: answer.status, requestId }, answer.noted);
  send(response, answer, { method, requestId, date: new Date(at.now()) });
}

function send(
  response: ServerResponse,
  answer: IdentityAnswer,
  { method, requestId, date }: { readonly method: string; readonly requestId: string | null; readonly date: Date },
): void {
  response.writeHead(answer.status, {
    // In place of Node's own, which would not go by the injected clock.
    Date: date.toUTCString(),
    ...answer.headers,
    ...(requestId === null ? {} : { "x-openstack-request-id": requestId }),
    ...(answer.status === 204 ? {} : { "Content-Length": String(Buffer.byteLength(answer.body)) }),
  });
  response.end(method === "HEAD" ? undefined : answer.body);
}

/** The whole body, or undefined when it is larger than Keystone takes; no more than that is ever held. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_REQUEST_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
    });
    // Read to its end even so: a connection that is closed on unread data loses the answer too.
    incoming.once("end", () => resolve(size <= MAX_REQUEST_BODY_BYTES ? Buffer.concat(chunks) : undefined));
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("The client went away.")));
  });
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function toRequestId(bytes: Buffer): string {
  const hex = bytes.toString("hex");
  return `req-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")}`;
}

/** The host of the address that clients on this machine use. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : toHostname(host);
}

function toHostname(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
