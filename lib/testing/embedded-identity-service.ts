import type { RequestListener, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorCodeOf, IamTokensError, isLoopbackHost } from "../tokens";
import { readConfigFile } from "./config/config-file";
import type { EmbeddedIdentityConfig } from "./config/identity-config";
import { type IdentitySettings, parseSettings } from "./config/settings";
import { type EmbeddedIdentityOptions, IdentityTwin } from "./identity-twin";
import { respond } from "./socket-exchange";
import type { ClientCertificate } from "./tls/server-tls";
import { createFor, type ServerTls, toServerTls } from "./tls/server-tls";

/** Options for a configuration file. */
export interface ConfigFileOptions extends EmbeddedIdentityOptions {
  /** Environment in which `passwordEnv` is looked up. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * An identity service inside a test. It answers as Keystone does, for the accounts and users in its
 * configuration.
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
export class EmbeddedIdentityService extends IdentityTwin {
  /** The certificate authority that a client must trust, as PEM. Undefined with http. */
  readonly ca: string | undefined;
  /** Whether only this machine can reach it. */
  readonly loopbackOnly: boolean;
  readonly #server: Server;
  readonly #tls: ServerTls | undefined;
  readonly #host: string;
  /** TCP connections by the client's port. */
  readonly #connections = new Map<number, Socket>();
  #port = 0;
  #requests = 0;
  #failures: unknown[] = [];

  private constructor(settings: IdentitySettings, options: EmbeddedIdentityOptions) {
    super(settings, options);
    const tls = toServerTls(settings);
    this.#host = settings.host;
    this.#tls = tls;
    this.ca = tls?.ca;
    this.loopbackOnly = isLoopbackHost(toHostname(settings.host));
    this.#server = this.#serverFor(tls, options);
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
    await listen(service.#server, settings);
    service.#port = (service.#server.address() as AddressInfo).port;
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
    options: ConfigFileOptions = {},
  ): Promise<EmbeddedIdentityService> {
    // start() checks its form.
    const config = readConfigFile(file, options.env ?? process.env) as EmbeddedIdentityConfig;
    return EmbeddedIdentityService.start(config, options);
  }

  get port(): number {
    return this.#port;
  }

  /** The address for a stack: `http://127.0.0.1:PORT`, or `https://localhost:PORT`. */
  get authUrl(): string {
    if (this.#tls?.isThrowAway) return `https://localhost:${this.#port}`;
    return `${this.#tls !== undefined ? "https" : "http"}://${toUrlHost(this.#host)}:${this.#port}`;
  }

  /**
   * With throw-away client certificates: one that the server accepts, as PEM strings. The key is a
   * secret while the server runs.
   */
  get clientCertificate(): ClientCertificate | undefined {
    return this.#tls?.client;
  }

  /**
   * Ends all connections, then the server. May be called more than once.
   *
   * @throws the error of `intercept`, if it has thrown one
   */
  async stop(): Promise<void> {
    this.endWaits();
    if (this.#server.listening) {
      const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
      // Also those in the middle of a handshake, which the server does not know.
      for (const socket of this.#connections.values()) socket.destroy();
      await closed;
    }
    const [failure] = this.#failures.splice(0);
    if (failure !== undefined) throw failure;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #serverFor(
    tls: ServerTls | undefined,
    { intercept = (_request, serve) => serve() }: EmbeddedIdentityOptions,
  ): Server {
    const connections = this.#connections;
    const circumstances = {
      ...this.circumstances,
      https: tls !== undefined,
      intercept,
      number: () => ++this.#requests,
      failed: (error: unknown) => this.#failures.push(error),
      connectionOf: (socket: Socket) => connections.get(socket.remotePort ?? 0) ?? socket,
    };
    const listener: RequestListener = (request, response) => {
      respond(request, response, circumstances).catch(() => {
        response.destroy();
      });
    };
    const server = createFor(tls, listener);
    server.on("connection", (socket: Socket) => {
      const port = socket.remotePort ?? 0;
      connections.set(port, socket);
      socket.once("close", () => connections.delete(port));
    });
    return server;
  }
}

/** The host of the address that clients on this machine use. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : toHostname(host);
}

function toHostname(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** @throws ERR_LISTEN_FAILED */
async function listen(server: Server, { host, port }: IdentitySettings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const code = errorCodeOf(error) ?? "unknown error";
      const why = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
      reject(new IamTokensError("ERR_LISTEN_FAILED", `Port ${port} of ${host} ${why}.`));
    });
    server.listen(port, host, () => resolve());
  });
  server.removeAllListeners("error");
}
