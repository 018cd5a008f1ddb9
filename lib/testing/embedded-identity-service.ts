import { randomBytes } from "node:crypto";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isLoopbackHost } from "../tokens";
import { FaultInjector } from "./faults/fault-injector";
import { Directory } from "./identity/directory";
import type { IdentityState } from "./identity/exchange";
import { respond } from "./identity/http-exchange";
import { Journal, type JournalEntry } from "./identity/journal";
import { createFor, listen, type ServerTls, toServerTls } from "./identity/listening";
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
    const { latencyMs } = settings;
    const faults = new FaultInjector(
      settings.faults,
      { tls: settings.tls === "throw-away" },
      { now, wait, signal: stopping.signal },
    );
    const circumstances = {
      state,
      journal,
      latencyMs,
      https: settings.tls !== undefined,
      now,
      random,
      wait,
      signal: stopping.signal,
      faults,
    };
    const listener: RequestListener = (request, response) => {
      respond(request, response, circumstances).catch(() => {
        response.destroy();
      });
    };
    const tls = toServerTls(settings);
    const unopened = createFor(tls, listener);
    faults.watch(unopened, tls);
    const server = await listen(unopened, settings);
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

/** The host of the address that clients on this machine use. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "[::1]" : toHostname(host);
}

function toHostname(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
