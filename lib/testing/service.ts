import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCodeOf, IamTokensError, isLoopbackHost, quote } from "../tokens";
import { readConfigFile } from "./config/config-file";
import type {
  ClientCertificate,
  EmbeddedIdentityConfig,
  EmbeddedUser,
  GithubActionsVariables,
  OidcTokenOptions,
  TokenDescription,
} from "./config/identity-config";
import { type IdentitySettings, parseSettings } from "./config/settings";
import { deliver, hasLeft, type Intercept, type Reaction, type ServedAnswer } from "./intercept";
import { Directory } from "./keystone/directory";
import { Federation, GITHUB_ACTIONS } from "./keystone/federation";
import {
  errorAnswer,
  type IdentityRequest,
  keystoneAnswer,
  REQUEST_ID,
  Refusal,
} from "./keystone/http";
import { Journal, type JournalEntry, type Noted } from "./keystone/journal";
import { ECHO, echo, revokeToken, validateToken } from "./keystone/presented";
import { FEDERATED, giveIdToken, signIn, signInByIdentityToken } from "./keystone/sign-in";
import type { Handler, State } from "./keystone/state";
import { Tokens } from "./keystone/tokens";
import { createFor, type ServerTls, toServerTls } from "./tls";

/** The clock, faults, and further options. @see docs/testing.md */
export interface EmbeddedIdentityOptions {
  /**
   * Milliseconds since 1970, for lifetimes, the journal and the Date header. Default: the machine's
   * clock.
   */
  readonly now?: () => number;
  /** Called with each new entry of the journal. Default: none. */
  readonly onRequest?: (entry: JournalEntry) => void;
  /**
   * Whether `/echo`, and each path below, simulates a product API: it answers 200 with a description of the request's
   * token (never the token itself), or 401. Default: false; only the identity service exists.
   */
  readonly echo?: boolean;
  /**
   * Decides what a client gets: for faults. Default: what the service answers.
   *
   * @example intercept: ({ number }, serve) => (number <= 2 ? { status: 503 } : serve())
   */
  readonly intercept?: Intercept;
}

/** Options for a configuration file. */
export interface ConfigFileOptions extends EmbeddedIdentityOptions {
  /** Environment in which `passwordEnv` is looked up. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** GET …/identity/v3. */
const showVersion: Handler = () =>
  keystoneAnswer(200, { version: { id: "v3.14", status: "stable" } });

const ROUTES: Readonly<Record<string, Handler>> = {
  "GET /identity/v3": showVersion,
  "POST /identity/v3/auth/tokens": signIn,
  "GET /identity/v3/auth/tokens": validateToken,
  "HEAD /identity/v3/auth/tokens": validateToken,
  "DELETE /identity/v3/auth/tokens": revokeToken,
  [`GET ${GITHUB_ACTIONS}`]: giveIdToken,
};

const notFound: Handler = () => errorAnswer(404);

/**
 * An identity service inside a test: a Keystone as its clients see it, for the account and the users
 * in its configuration.
 *
 * It listens on loopback, on a free port, and forgets everything when it stops. It is for tests
 * only.
 *
 * @example
 * const identity = await EmbeddedIdentityService.start({
 *   accountId: "123456",
 *   serviceUsers: [{ name: "deployer", password: "…", permission: { account: true, projects:
 *   ["web"] } }],
 * });
 * identity.authUrl;        // the address for a stack
 * identity.journal;        // the requests so far
 * await identity.stop();
 * @see docs/testing.md
 */
export class EmbeddedIdentityService {
  readonly #settings: IdentitySettings;
  readonly #options: EmbeddedIdentityOptions;
  readonly #state: State;
  readonly #journal: Journal;
  readonly #tls: ServerTls | undefined;
  readonly #server: Server;
  readonly #stopping = new AbortController();
  /** TCP connections by the client's port: with TLS, those below. */
  readonly #connections = new Map<number, Socket>();
  #requests = 0;
  #failure: { readonly error: unknown } | undefined;

  private constructor(settings: IdentitySettings, options: EmbeddedIdentityOptions) {
    const { now = Date.now, onRequest } = options;
    this.#settings = settings;
    this.#options = options;
    const directory = new Directory(settings, now);
    this.#state = {
      directory,
      tokens: new Tokens(settings.tokenLifetimeSeconds, now),
      federation: new Federation(settings, now),
      catalog: settings.catalog,
      now,
    };
    this.#journal = new Journal(directory.secrets, onRequest);
    this.#tls = toServerTls(settings);
    this.#server = createFor(this.#tls, (request, response) => {
      this.#respond(request, response).catch(() => response.destroy());
    });
    this.#server.on("connection", (socket: Socket) => {
      const port = socket.remotePort ?? 0;
      this.#connections.set(port, socket);
      socket.once("close", () => this.#connections.delete(port));
    });
  }

  /**
   * Starts a server.
   *
   * @throws ERR_TESTING_CONFIG_INVALID if the configuration is wrong, with the path of each mistake
   * @throws ERR_LISTEN_FAILED if the port is in use or not allowed
   */
  static async start(
    config: EmbeddedIdentityConfig,
    options: EmbeddedIdentityOptions = {},
  ): Promise<EmbeddedIdentityService> {
    const settings = parseSettings(config);
    const service = new EmbeddedIdentityService(settings, options);
    const { host, port } = settings;
    try {
      await once(service.#server.listen(port, host), "listening");
    } catch (error) {
      const code = errorCodeOf(error) ?? "unknown error";
      const why = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
      throw new IamTokensError("ERR_LISTEN_FAILED", `Port ${port} of ${host} ${why}.`);
    }
    return service;
  }

  /**
   * Starts a server with the configuration in a JSON file, in which a user may have `passwordEnv`,
   * the name of an environment variable, instead of a password.
   *
   * @throws the same as {@link EmbeddedIdentityService.start}, also if the file cannot be read
   */
  static async startFromFile(
    file: string,
    { env = process.env, ...options }: ConfigFileOptions = {},
  ): Promise<EmbeddedIdentityService> {
    // start() checks its form.
    const config = readConfigFile(file, env) as EmbeddedIdentityConfig;
    return EmbeddedIdentityService.start(config, options);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** The address for a stack: `http://127.0.0.1:PORT`, or `https://localhost:PORT`. */
  get authUrl(): string {
    const { host, tls } = this.#settings;
    // A certificate that is made here is for localhost alone.
    if (tls === "throw-away") return `https://localhost:${this.port}`;
    return `${tls === undefined ? "http" : "https"}://${toHostname(LOOPBACK[host] ?? host)}:${this.port}`;
  }

  /** The address of its Keystone: `…/identity/v3`. */
  get keystoneUrl(): string {
    return `${this.authUrl}/identity/v3`;
  }

  /** The certificate authority that a client must trust, as PEM. Undefined with http. */
  get ca(): string | undefined {
    return this.#tls?.ca;
  }

  /**
   * With throw-away client certificates: one that the server accepts, as PEM strings. The key is a
   * secret while the server runs.
   */
  get clientCertificate(): ClientCertificate | undefined {
    return this.#tls?.client;
  }

  /** Whether only this machine can reach it. */
  get loopbackOnly(): boolean {
    return isLoopbackHost(toHostname(this.#settings.host));
  }

  /** The newest requests, at most 10,000, oldest first. Contains no passwords or tokens. */
  get journal(): readonly JournalEntry[] {
    return this.#journal.entries();
  }

  /** Forgets the requests so far. */
  clearJournal(): void {
    this.#journal.clear();
  }

  /** Whether a token was issued here, and is neither expired nor revoked. */
  isValid(token: string): boolean {
    return this.#state.tokens.find(token).status === "valid";
  }

  /** The owner and the scope of a token, as a product API needs them for a request. */
  describeToken(token: string): TokenDescription {
    return this.#state.tokens.describe(token);
  }

  /**
   * All tokens that were issued here, oldest first. A test can search for them in everything that a
   * run leaves behind.
   *
   * @example scanForLeaks({ canaries: Object.fromEntries(identity.issuedTokens().entries()),
   * folders: ["cdktf.out"] })
   */
  issuedTokens(): string[] {
    return this.#state.tokens.all();
  }

  /**
   * An identity token, as a CI system gives one to a job. This service accepts it.
   *
   * @throws ERR_TESTING_CONFIG_INVALID if the configuration does not have the identity provider
   * @example identity.oidcToken({ sub: "repo:example/shop", expiresIn: -60 }); // has expired
   */
  oidcToken(options: OidcTokenOptions = {}): string {
    return this.#state.federation.issue(this.#checked(options));
  }

  /** All identity tokens, oldest first: canaries, as {@link issuedTokens}. */
  oidcTokens(): readonly string[] {
    return [...this.#state.federation.issued];
  }

  /**
   * The environment of a job of GitHub Actions with `permissions: id-token: write`, which gets its
   * identity tokens from this service.
   *
   * @throws the same as {@link oidcToken}
   */
  githubActions(options: OidcTokenOptions = {}): GithubActionsVariables {
    const bearer = randomBytes(32).toString("base64url");
    this.#state.federation.addJob(bearer, this.#checked(options));
    return {
      // With a query, to which a client adds the audience.
      ACTIONS_ID_TOKEN_REQUEST_URL: `${this.authUrl}${GITHUB_ACTIONS}?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer,
    };
  }

  /**
   * A user, for changes while the service runs.
   *
   * @throws ERR_TESTING_CONFIG_INVALID if there is no such user
   * @example identity.user("deployer").changePassword("…");
   */
  user(name: string): EmbeddedUser {
    const user = this.#state.directory.users.find((each) => each.name === name);
    if (user !== undefined) return user;
    throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", `There is no user ${quote(name)}.`);
  }

  /**
   * Ends all connections, then the server. May be called more than once.
   *
   * @throws the error of `intercept` or `onRequest`, if it has thrown one; that of an answer or cut
   * of `intercept` that cannot be sent: ERR_TESTING_CONFIG_INVALID, or Node.js's own
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#server.listening) {
      this.#server.close();
      // Also those in the middle of a handshake, which the server does not know.
      for (const socket of this.#connections.values()) socket.destroy();
      await once(this.#server, "close");
    }
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  #checked(options: OidcTokenOptions): OidcTokenOptions {
    const { identityProvider } = options;
    if (this.#state.federation.provider(identityProvider) !== undefined) return options;
    const which = identityProvider === undefined ? "" : ` ${quote(identityProvider)}`;
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `There is no identity provider${which} in identityProviders.`,
    );
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++this.#requests;
    const request = await this.#read(incoming);
    const { latencyMs } = this.#settings;
    const { signal } = this.#stopping;
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal });
    const serve = () => this.#serve(request);
    let reaction: Reaction | undefined;
    try {
      const { intercept } = this.#options;
      reaction = intercept ? await intercept({ number, ...request }, serve) : serve();
      const { socket } = response;
      if (socket === null) return;
      await deliver(reaction, response, this.#connections.get(socket.remotePort ?? 0) ?? socket);
    } catch (error) {
      // Once there is a reaction, the client may have left, which is no mistake of the test.
      if (reaction === undefined || !hasLeft(error)) this.#failure ??= { error };
      throw error;
    }
  }

  async #read(incoming: IncomingMessage): Promise<IdentityRequest> {
    const chunks: Buffer[] = await incoming.toArray();
    const { method = "GET", url = "/" } = incoming;
    const [path = "", ...query] = url.split("?");
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = Buffer.concat(chunks).toString("utf8");
    return { method, path, query: query.join("?"), headers, body };
  }

  #serve(request: IdentityRequest): ServedAnswer {
    const { method, path } = request;
    const isEcho = this.#options.echo && (path === ECHO || path.startsWith(`${ECHO}/`));
    const handler = isEcho ? echo : handlerOf(method, path);
    let noted: Noted = {};
    let answer: ServedAnswer;
    try {
      answer = handler(request, this.#state, (next) => {
        noted = next;
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      noted = { ...noted, reason: error.reason };
      answer = errorAnswer(error.status);
    }
    const { status, headers, body } = answer;
    const at = new Date(this.#state.now());
    const [, requestId = null] = headers.find(([name]) => name === REQUEST_ID) ?? [];
    this.#journal.record({ at: at.toISOString(), method, path, status, requestId }, noted);
    return { status, headers: [["Date", at.toUTCString()], ...headers], body };
  }
}

function handlerOf(method: string, path: string): Handler {
  if (method === "POST" && FEDERATED.test(path)) return signInByIdentityToken;
  const key = `${method} ${path}`;
  return (Object.hasOwn(ROUTES, key) ? ROUTES[key] : undefined) ?? notFound;
}

/** As in a URL. */
const toHostname = (host: string) => (host.includes(":") ? `[${host}]` : host);

/** Where clients on this machine reach a service that listens on all addresses. */
const LOOPBACK: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
