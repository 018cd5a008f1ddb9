import { randomBytes } from "node:crypto";
import { IamTokensError, quote } from "../tokens";
import type {
  EmbeddedIdentityConfig,
  EmbeddedProject,
  EmbeddedUser,
  GithubActionsVariables,
  OidcTokenOptions,
  TokenDescription,
} from "./config/identity-config";
import { parseSettings } from "./config/settings";
import { listen } from "./http-server";
import { GITHUB_ACTIONS } from "./keystone/identity-token";
import type { JournalEntry } from "./keystone/journal";
import { createKeystone } from "./keystone/keystone";
import type { EmbeddedIdentityOptions } from "./options";

/**
 * An identity service inside a test: a Keystone as its clients see it, for the account and the
 * users in its configuration.
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
  readonly #keystone: ReturnType<typeof createKeystone>;
  readonly #server: Awaited<ReturnType<typeof listen>>;

  private constructor(
    keystone: ReturnType<typeof createKeystone>,
    server: Awaited<ReturnType<typeof listen>>,
  ) {
    this.#keystone = keystone;
    this.#server = server;
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
    const keystone = createKeystone(settings, options);
    const server = await listen(settings.port, keystone.serve, options.intercept);
    return new EmbeddedIdentityService(keystone, server);
  }

  get port(): number {
    return this.#server.port();
  }

  /** The address for a stack: `http://127.0.0.1:PORT`. */
  get authUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The address of its Keystone: `…/identity/v3`. */
  get keystoneUrl(): string {
    return `${this.authUrl}/identity/v3`;
  }

  /** The newest requests, at most 10,000, oldest first. Contains no passwords or tokens. */
  get journal(): readonly JournalEntry[] {
    return this.#keystone.journal.entries();
  }

  /** Forgets the requests so far. */
  clearJournal(): void {
    this.#keystone.journal.clear();
  }

  /** Whether a token was issued here, and is neither expired nor revoked. */
  isValid(token: string): boolean {
    return this.#keystone.tokens.find(token).status === "valid";
  }

  /** The owner and the scope of a token, as a product API needs them for a request. */
  describeToken(token: string): TokenDescription {
    return this.#keystone.tokens.describe(token);
  }

  /**
   * All tokens that were issued here, oldest first. A test can search for them in everything that a
   * run leaves behind.
   *
   * @example scanForLeaks({ canaries: Object.fromEntries(identity.issuedTokens().entries()),
   * folders: ["cdktf.out"] })
   */
  issuedTokens(): string[] {
    return this.#keystone.tokens.all();
  }

  /**
   * An identity token, as a CI system gives one to a job. This service accepts it.
   *
   * @throws ERR_TESTING_CONFIG_INVALID if the configuration does not have the identity provider
   * @example identity.oidcToken({ sub: "repo:example/shop", expiresIn: -60 }); // has expired
   */
  oidcToken(options: OidcTokenOptions = {}): string {
    return this.#keystone.federation.issue(this.#checked(options));
  }

  /** All identity tokens, oldest first: canaries, as {@link issuedTokens}. */
  oidcTokens(): readonly string[] {
    return [...this.#keystone.federation.issued];
  }

  /**
   * The environment of a job of GitHub Actions with `permissions: id-token: write`, which gets its
   * identity tokens from this service.
   *
   * @throws the same as {@link oidcToken}
   */
  githubActions(options: OidcTokenOptions = {}): GithubActionsVariables {
    const bearer = randomBytes(32).toString("base64url");
    this.#keystone.federation.jobs.set(bearer, this.#checked(options));
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
    const user = this.#keystone.directory.users.find((each) => each.name === name);
    if (user !== undefined) return user;
    throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", `There is no user ${quote(name)}.`);
  }

  /**
   * A project, for changes while the service runs.
   *
   * @throws ERR_TESTING_CONFIG_INVALID if there is no such project
   * @example identity.project("web").disable();
   */
  project(name: string): EmbeddedProject {
    const project = this.#keystone.directory.project(name);
    if (project !== undefined) return project;
    throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", `There is no project ${quote(name)}.`);
  }

  /**
   * Ends all connections, then the server. May be called more than once.
   *
   * @throws the error of `intercept` or `onRequest`, if it has thrown one; that of an answer or cut
   * of `intercept` that cannot be sent: ERR_TESTING_CONFIG_INVALID, or Node.js's own
   */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  #checked(options: OidcTokenOptions): OidcTokenOptions {
    const { identityProvider } = options;
    if (this.#keystone.federation.provider(identityProvider) !== undefined) return options;
    const which = identityProvider === undefined ? "" : ` ${quote(identityProvider)}`;
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `There is no identity provider${which} in identityProviders.`,
    );
  }
}
