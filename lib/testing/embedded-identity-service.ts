import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorCodeOf, IamTokensError, isLoopbackHost } from "../tokens";
import { readConfigFile } from "./config/config-file";
import type { EmbeddedIdentityConfig } from "./config/identity-config";
import { type IdentitySettings, parseSettings } from "./config/settings";
import { FaultInjector } from "./faults/fault-injector";
import { type EmbeddedIdentityOptions, IdentityTwin } from "./identity-twin";
import { respond } from "./socket-exchange";
import { createFor, type ServerTls, toServerTls } from "./tls/server-tls";
import type { ClientCertificate } from "./tls/throw-away-certificate";

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
  #port = 0;

  private constructor(settings: IdentitySettings, options: EmbeddedIdentityOptions) {
    super(settings, options);
    const tls = toServerTls(settings);
    this.#host = settings.host;
    this.#tls = tls;
    this.ca = tls?.ca;
    this.loopbackOnly = isLoopbackHost(toHostname(settings.host));
    this.#server = this.#serverFor(tls, settings, options);
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

  /** The address for a stack: `http://127.0.0.1:PORT`. */
  get authUrl(): string {
    return `${this.#tls !== undefined ? "https" : "http"}://${toUrlHost(this.#host)}:${this.#port}`;
  }

  /**
   * With throw-away client certificates: one that the server accepts, as PEM strings. The key is a
   * secret while the server runs.
   */
  get clientCertificate(): ClientCertificate | undefined {
    return this.#tls?.client;
  }

  /** Ends all connections, then the server. May be called more than once. */
  async stop(): Promise<void> {
    this.endWaits();
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #serverFor(
    tls: ServerTls | undefined,
    settings: IdentitySettings,
    { wireFaults }: EmbeddedIdentityOptions,
  ): Server {
    const at = this.circumstances;
    const faults = new FaultInjector(settings.faults, wireFaults, at);
    const circumstances = { ...at, https: tls !== undefined, faults };
    const listener: RequestListener = (request, response) => {
      respond(request, response, circumstances).catch(() => {
        response.destroy();
      });
    };
    const server = createFor(tls, listener);
    faults.watch(server, tls);
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
