import { IamTokensError, quote } from "../tokens";
import { EmbeddedUser } from "./embedded-user";
import { Directory } from "./identity/directory";
import type { IdentityState } from "./identity/exchange";
import { Journal, type JournalEntry } from "./identity/journal";
import { MAX_REQUEST_BODY_BYTES, reasonPhrase } from "./identity/keystone-answers";
import {
  askKeystone,
  forMethod,
  type KeystoneCircumstances,
  splitTarget,
} from "./identity/keystone-exchange";
import type { ServiceSettings } from "./identity/settings";
import { type TokenDescription, TokenRegister } from "./identity/token-register";

/** A request to a service in the same process. */
export interface InProcessRequest {
  /** Default: GET. */
  readonly method?: string;
  /** A whole address, or a path with its query. */
  readonly url: string;
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The answer to it. */
export interface InProcessAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a service is made of. */
export type TwinParts = Pick<KeystoneCircumstances, "now" | "random" | "wait"> & {
  readonly settings: ServiceSettings;
};

/** What an identity service for tests is and does, whether it listens somewhere or not. */
export abstract class IdentityTwin {
  /** The address to give to a client, without `/identity/v3`. */
  abstract readonly authUrl: string;
  readonly #at: KeystoneCircumstances;
  readonly #stopping = new AbortController();

  /** @internal */
  protected constructor({ settings, now, random, wait }: TwinParts) {
    const { lockout, latencyMs, tokenLifetimeSeconds: lifetimeSeconds } = settings;
    const directory = new Directory(settings.accounts);
    const tokens = new TokenRegister({ now, randomBytes: random, lifetimeSeconds });
    const state: IdentityState = { directory, tokens, lockout, now };
    const journal = new Journal(() => directory.passwords());
    this.#at = { state, journal, latencyMs, now, random, wait, signal: this.#stopping.signal };
  }

  /** The address of the Keystone in it: `…/identity/v3`. */
  get keystoneUrl(): string {
    return `${this.authUrl}/identity/v3`;
  }

  /** What was asked so far, oldest first. It holds no password and no token. */
  get journal(): readonly JournalEntry[] {
    return this.#at.journal.entries();
  }

  /** Forgets what was asked so far. */
  clearJournal(): void {
    this.#at.journal.clear();
  }

  /** Whether a token was issued here, and is neither expired nor revoked. */
  isValid(token: string): boolean {
    return this.#at.state.tokens.find(token).status === "valid";
  }

  /** Whose a token is, and what for: what a product API asks about the token of a request. */
  describeToken(token: string): TokenDescription {
    return this.#at.state.tokens.describe(token);
  }

  /**
   * Every token that was issued here, oldest first: what a test searches for in all that a run
   * leaves behind.
   *
   * @example scanForLeaks({ canaries: Object.fromEntries(identity.issuedTokens().entries()),
   * folders: ["cdktf.out"] })
   */
  issuedTokens(): string[] {
    return this.#at.state.tokens.all();
  }

  /**
   * A user, to be changed while the service runs.
   *
   * @param accountId Default: the account that stands first in the configuration.
   * @throws ERR_TESTING_CONFIG_INVALID when there is no such user
   * @example identity.user("deployer").changePassword("…");
   */
  user(name: string, accountId?: string): EmbeddedUser {
    const { directory, lockout, now } = this.#at.state;
    const account = accountId ?? directory.firstAccount.name;
    const record = directory.user({ name, domain: { name: account } });
    if (record === undefined) {
      throw new IamTokensError(
        "ERR_TESTING_CONFIG_INVALID",
        `There is no user ${quote(name)} in account ${quote(account)}.`,
      );
    }
    return new EmbeddedUser(record, () => record.isLocked(now(), lockout), now);
  }

  /**
   * Answers a request without a socket, by the same code, with the same latency and into the same
   * journal. What `faults` has for connections does not happen here.
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
      statusText: reasonPhrase(answer.status),
      headers: Object.fromEntries(
        answer.headers.map(([name, value]) => [name.toLowerCase(), value]),
      ),
      body: answer.body.toString("utf8"),
    };
  }

  /** @internal What the socket works with. */
  protected get circumstances(): KeystoneCircumstances {
    return this.#at;
  }

  /** @internal Ends every wait. */
  protected endWaits(): void {
    this.#stopping.abort();
  }
}
