import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { IamTokensError, KIND_OF_SCOPE, quote, type TokenKindId } from "../tokens";
import type { InProcessIdentityConfig } from "./config/identity-config";
import {
  type IdentityProviderSettings,
  parseServiceSettings,
  type ServiceSettings,
} from "./config/settings";
import { MAX_REQUEST_BODY_BYTES } from "./identity/answers";
import { ApplicationCredentials } from "./identity/application-credentials";
import { Directory } from "./identity/directory";
import type { EmbeddedUser } from "./identity/embedded-user";
import { titleOf } from "./identity/exchange";
import { Federation } from "./identity/federation";
import { GITHUB_ACTIONS, type GithubActionsVariables } from "./identity/github-actions";
import { Journal, type JournalEntry } from "./identity/journal";
import {
  askKeystone,
  forMethod,
  type KeystoneCircumstances,
  splitTarget,
} from "./identity/keystone";
import type { OidcTokenOptions } from "./identity/oidc-issuer";
import { TokenRegister } from "./identity/token-register";
import type { Intercept } from "./intercept";

/** Sources of time and randomness, and further options. @see docs/testing.md */
export interface EmbeddedIdentityOptions {
  /**
   * Milliseconds since 1970, for lifetimes, the journal and the Date header. Default: the machine's
   * clock.
   */
  readonly now?: () => number;
  /** Waits for the latency. Default: a timer, which `stop()` ends early. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Default: the machine's random source. */
  readonly randomBytes?: (size: number) => Buffer;
  /** Called with each new entry of the journal. Default: none. */
  readonly onRequest?: (entry: JournalEntry) => void;
  /**
   * Whether `/echo` simulates a product API: it answers 200 with a description of the request's
   * token (never the token itself), or 401. Default: false; only the identity service exists.
   */
  readonly echo?: boolean;
  /**
   * Decides what a client gets: for faults. Default: what the service answers. Not for requests
   * without a socket.
   *
   * @example intercept: ({ number }, serve) => (number <= 2 ? { status: 503 } : serve())
   */
  readonly intercept?: Intercept;
}

/** A request to a service in the same process. */
export interface InProcessRequest {
  /** Default: GET. */
  readonly method?: string;
  /** A complete address, or a path with its query. */
  readonly url: string;
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The answer to an {@link InProcessRequest}. */
export interface InProcessAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The owner and the scope of a token, as a product API needs them for a request. It does not
 * contain the token.
 */
export type TokenDescription =
  | { readonly status: "unknown" }
  | {
      readonly status: "valid" | "expired" | "revoked";
      /** Null for an unscoped token, a kind that the service's specification does not have. */
      readonly kind: TokenKindId | null;
      readonly user: string;
      readonly accountId: string;
      /** The project of a project token, otherwise null. */
      readonly project: string | null;
      readonly issuedAt: Date;
      readonly expiresAt: Date;
      readonly fingerprint: string;
    };

/**
 * The common part of identity services for tests, with and without a socket.
 *
 * @see docs/testing.md
 */
export abstract class IdentityTwin {
  /** The address for a client, without `/identity/v3`. */
  abstract readonly authUrl: string;
  readonly #at: KeystoneCircumstances;
  readonly #stopping = new AbortController();

  readonly #firstAccount: string;

  /** @internal */
  protected constructor(settings: ServiceSettings, options: EmbeddedIdentityOptions) {
    const { accountId, accounts, catalog, lockout, latencyMs, tokenLifetimeSeconds } = settings;
    const {
      now = Date.now,
      randomBytes: random = randomBytes,
      wait = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
      onRequest = () => {},
      echo = false,
    } = options;
    const directory = new Directory(accounts, { lockout, now });
    const credentials = new ApplicationCredentials(accounts, directory);
    const tokens = new TokenRegister({ now, random, lifetimeSeconds: tokenLifetimeSeconds });
    const federation = new Federation(directory.identityProviders, now);
    const state = { directory, tokens, credentials, federation, catalog, now, random };
    const secrets = () => [...directory.secrets(), ...credentials.secrets()];
    const journal = new Journal(secrets, onRequest);
    this.#firstAccount = accountId;
    this.#at = {
      state,
      journal,
      echo,
      latencyMs,
      now,
      random,
      wait,
      signal: this.#stopping.signal,
    };
  }

  /** The address of its Keystone: `…/identity/v3`. */
  get keystoneUrl(): string {
    return `${this.authUrl}/identity/v3`;
  }

  /** The newest requests, at most 10,000, oldest first. Contains no passwords or tokens. */
  get journal(): readonly JournalEntry[] {
    return this.#at.journal.entries();
  }

  /** The number of older requests, which are no longer in the journal. */
  get journalDropped(): number {
    return this.#at.journal.dropped;
  }

  /** Forgets the requests so far. */
  clearJournal(): void {
    this.#at.journal.clear();
  }

  /** Whether a token was issued here, and is neither expired nor revoked. */
  isValid(token: string): boolean {
    return this.#at.state.tokens.find(token).status === "valid";
  }

  /** The owner and the scope of a token, as a product API needs them for a request. */
  describeToken(token: string): TokenDescription {
    const { status, record } = this.#at.state.tokens.find(token);
    if (status === "unknown" || record === undefined) return { status: "unknown" };
    const { owner, scope, issuedAt, expiresAt, fingerprint } = record;
    return {
      status,
      kind: scope.kind === "none" ? null : KIND_OF_SCOPE[scope.kind],
      user: owner.name,
      accountId: owner.account.name,
      project: scope.kind === "project" ? scope.project.name : null,
      issuedAt: new Date(issuedAt),
      expiresAt: new Date(expiresAt),
      fingerprint,
    };
  }

  /**
   * All tokens that were issued here, oldest first. A test can search for them in everything that a
   * run leaves behind. Of expired and revoked ones, at least the newest 10,000 are among them.
   *
   * @example scanForLeaks({ canaries: Object.fromEntries(identity.issuedTokens().entries()),
   * folders: ["cdktf.out"] })
   */
  issuedTokens(): string[] {
    return this.#at.state.tokens.all();
  }

  /**
   * An identity token, as a CI system gives one to a job. This service accepts it.
   *
   * @throws ERR_TESTING_CONFIG_INVALID if the configuration does not have the identity provider
   * @example identity.oidcToken({ sub: "repo:example/shop", expiresIn: -60 }); // has expired
   */
  oidcToken(options: OidcTokenOptions = {}): string {
    return this.#federation.issuer.issue(this.#provider(options), options);
  }

  /** The newest 10,000 identity tokens, oldest first: canaries, as {@link issuedTokens}. */
  oidcTokens(): readonly string[] {
    return this.#federation.issuer.issued;
  }

  /**
   * The environment of a job of GitHub Actions with `permissions: id-token: write`, which gets its
   * identity tokens from this service.
   *
   * @throws the same as {@link oidcToken}
   */
  githubActions(options: OidcTokenOptions = {}): GithubActionsVariables {
    const bearer = this.#at.random(32).toString("base64url");
    this.#federation.jobs.push({ bearer, provider: this.#provider(options), options });
    return {
      // With a query, to which a client adds the audience.
      ACTIONS_ID_TOKEN_REQUEST_URL: `${this.authUrl}${GITHUB_ACTIONS}?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer,
    };
  }

  get #federation(): Federation {
    return this.#at.state.federation;
  }

  #provider({ identityProvider }: OidcTokenOptions): IdentityProviderSettings {
    const provider = this.#federation.provider(identityProvider);
    if (provider !== undefined) return provider;
    const which = identityProvider === undefined ? "" : ` ${quote(identityProvider)}`;
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `There is no identity provider${which} in identityProviders.`,
    );
  }

  /**
   * A user, for changes while the service runs.
   *
   * @param accountId Default: the first account in the configuration.
   * @throws ERR_TESTING_CONFIG_INVALID if there is no such user
   * @example identity.user("deployer").changePassword("…");
   */
  user(name: string, accountId?: string): EmbeddedUser {
    const account = accountId ?? this.#firstAccount;
    const user = this.#at.state.directory.user({ name, domain: { name: account } });
    if (user !== undefined) return user;
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `There is no user ${quote(name)} in account ${quote(account)}.`,
    );
  }

  /**
   * Answers a request without a socket, with the same code, latency and journal. Faults of
   * connections do not occur here.
   *
   * @example await identity.handle({ url: "/identity/v3" }); // status 200
   */
  async handle(request: InProcessRequest): Promise<InProcessAnswer> {
    const { latencyMs, wait, signal } = this.#at;
    if (latencyMs > 0) await wait(latencyMs, signal);
    const { method = "GET" } = request;
    const url = new URL(request.url, this.authUrl);
    const bytes = Buffer.from(request.body ?? "");
    const given = Object.entries(request.headers ?? {}).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    const headers: Record<string, string> = Object.fromEntries(given);
    if (headers["transfer-encoding"] === undefined)
      headers["content-length"] ??= String(bytes.length);
    const body = bytes.length > MAX_REQUEST_BODY_BYTES ? undefined : bytes;
    const origin = headers.host === undefined ? url.origin : `${url.protocol}//${headers.host}`;
    const { path, query } = splitTarget(url.pathname + url.search);
    const answer = forMethod(
      askKeystone({ method, path, query, headers, body, origin }, this.#at),
      method,
    );
    return {
      status: answer.status,
      statusText: titleOf(answer.status),
      headers: Object.fromEntries(
        answer.headers.map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: answer.body.toString("utf8"),
    };
  }

  /** @internal The state for the socket. */
  protected get circumstances(): KeystoneCircumstances {
    return this.#at;
  }

  /** @internal Ends every wait. */
  protected endWaits(): void {
    this.#stopping.abort();
  }
}

/**
 * The identity service of {@link EmbeddedIdentityService} without a socket, for tests whose client
 * gets its answers from a function. It starts at once, and needs no stop.
 *
 * @see docs/testing.md
 * @example
 * const identity = InProcessIdentityService.create({ accountId: "123456", serviceUsers: [] });
 * const { status } = await identity.handle({ url: `${identity.keystoneUrl}/auth/tokens`, method:
 * "POST", body: "{}" }); // 400
 */
export class InProcessIdentityService extends IdentityTwin {
  /** An address that cannot exist: requests to it must not leave the process. */
  readonly authUrl = "https://identity.invalid";

  private constructor(settings: ServiceSettings, options: EmbeddedIdentityOptions) {
    super(settings, options);
  }

  /**
   * @throws ERR_TESTING_CONFIG_INVALID if the configuration is wrong, with the path of each mistake
   */
  static create(
    config: InProcessIdentityConfig,
    options: EmbeddedIdentityOptions = {},
  ): InProcessIdentityService {
    return new InProcessIdentityService(parseServiceSettings(config), options);
  }
}
