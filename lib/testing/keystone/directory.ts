import { createHash } from "node:crypto";
import type { EmbeddedUser } from "../config/identity-config";
import type { IdentitySettings, PermissionSettings, ServiceUserSettings } from "../config/settings";
import { Refusal } from "./http";
import type { RequestedScope } from "./journal";

/** The owner of a token: a user of the configuration, or of an identity provider. */
export interface TokenOwner {
  readonly id: string;
  readonly name: string;
  /** The account of its permission. */
  readonly account: string;
  /** Its domain in token bodies: the account, or that of its identity provider. */
  readonly domain: string;
  readonly permission: PermissionSettings;
  /** Whether a token that was issued at this time is still valid after changes of the user. */
  acceptsTokenOf(issuedAt: number): boolean;
}

/** A domain of a request, by its id, its name, or both. */
export interface AskedDomain {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** A user or a project of a request: a name has a domain. */
export interface AskedReference extends AskedDomain {
  readonly domain?: AskedDomain | undefined;
}

/** A scope of a request. */
export type AskedScope =
  | "unscoped"
  | { readonly domain: AskedDomain }
  | { readonly project: AskedReference };

/** What users have in common. */
interface Surroundings {
  readonly now: () => number;
  readonly secrets: Set<string>;
}

/** A user of the configuration. */
export class User implements EmbeddedUser, TokenOwner {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly domain: string;
  readonly permission: PermissionSettings;
  readonly #surroundings: Surroundings;
  isEnabled: boolean;
  #password = "";
  /** Tokens of this second, or older, are invalid. */
  #deadUntil = Number.NEGATIVE_INFINITY;

  constructor(
    account: string,
    { name, password, permission, enabled, accountId: domain = account }: ServiceUserSettings,
    surroundings: Surroundings,
  ) {
    this.id = idOf("user", domain, name);
    this.name = name;
    this.domain = domain;
    this.account = account;
    this.permission = permission;
    this.#surroundings = surroundings;
    this.isEnabled = enabled;
    this.#setPassword(password);
  }

  changePassword(password: string): void {
    this.#setPassword(password);
    this.#endTokens();
  }

  disable(): void {
    this.isEnabled = false;
    this.#endTokens();
  }

  enable(): void {
    this.isEnabled = true;
  }

  hasPassword(given: string): boolean {
    return given === this.#password;
  }

  acceptsTokenOf(issuedAt: number): boolean {
    return this.isEnabled && issuedAt > this.#deadUntil;
  }

  #setPassword(password: string): void {
    this.#password = password;
    this.#surroundings.secrets.add(password);
  }

  #endTokens(): void {
    this.#deadUntil = Math.floor(this.#surroundings.now() / 1000) * 1000;
  }
}

/** A secret of a user that gives tokens for one project, without the user's password. */
export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly owner: User;
  readonly project: string;
  readonly secret: string;
  /** Milliseconds since 1970; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/**
 * The account, its users, projects and permissions: who exists, and who may get which token. It
 * knows nothing of tokens.
 */
export class Directory {
  readonly #settings: IdentitySettings;
  readonly users: readonly User[];
  readonly credentials: readonly ApplicationCredential[];
  /** Every present and former password, secret and static token, to keep them out of the journal. */
  readonly secrets: Set<string>;

  constructor(settings: IdentitySettings, now: () => number) {
    const { accountId, serviceUsers, applicationCredentials, staticTokens } = settings;
    this.#settings = settings;
    const credentials = applicationCredentials.map(({ secret }) => secret);
    this.secrets = new Set([...staticTokens, ...credentials]);
    const surroundings = { now, secrets: this.secrets };
    this.users = serviceUsers.map((user) => new User(accountId, user, surroundings));
    this.credentials = applicationCredentials.map(({ user, ...given }) => {
      const { name = given.id ?? "", id = idOf("application credential", user, name) } = given;
      return { ...given, id, name, owner: this.user({ name: user, domain: { name: accountId } }) };
    });
  }

  /**
   * Of an id and a name, Keystone takes the name.
   *
   * @throws Refusal if there is none: with `status`, if the account is right
   */
  user({ id, name, domain = {} }: AskedReference, status = 401): User {
    const account = name === undefined ? undefined : this.#account(domain);
    const user = this.users.find((each) =>
      name === undefined ? each.id === id : each.name === name && each.domain === account,
    );
    if (user === undefined) throw new Refusal("unknown_user", status);
    return user;
  }

  /** @throws Refusal */
  #account({ id, name }: AskedDomain): string {
    const accounts = [this.#settings.accountId, ...this.users.map(({ domain }) => domain)];
    const found = accounts.find(
      (each) => (name ?? each) === each && (id === undefined || id === idOf(each)),
    );
    if (found === undefined) throw new Refusal("unknown_account");
    return found;
  }

  /**
   * A scope by its names. A domain next to a project's id is ignored, as Keystone does.
   *
   * @throws Refusal for what does not exist
   */
  scopeOf(asked: AskedScope): RequestedScope {
    if (asked === "unscoped") return { kind: "none" };
    const { accountId: home, projects } = this.#settings;
    if ("domain" in asked) return { kind: "account", account: this.#account(asked.domain) };
    const { id, name, domain = {} } = asked.project;
    if (name !== undefined)
      return { kind: "project", project: name, account: this.#account(domain) };
    const project = projects.find((each) => idOf(each, home) === id);
    if (project === undefined) throw new Refusal("unknown_project");
    return { kind: "project", project, account: home };
  }

  get accountId(): string {
    return this.#settings.accountId;
  }

  isStaticToken(token: string): boolean {
    return this.#settings.staticTokens.includes(token);
  }

  /**
   * Whether a user may get a token for a scope.
   *
   * @throws Refusal if not
   * @see spec, "Issue an IAM token", rules 1 and 2
   */
  assertPermitted({ permission }: TokenOwner, scope: RequestedScope): void {
    const { accountId, projects } = this.#settings;
    if (scope.kind === "none") return;
    if (scope.account !== accountId) throw new Refusal("unknown_account");
    const project = scope.kind === "project" ? scope.project : undefined;
    if (project !== undefined && !projects.includes(project)) throw new Refusal("unknown_project");
    if (!permission.account && !permission.projects.some((name) => name === project))
      throw new Refusal("no_permission");
  }
}

/**
 * An id in Keystone's form (32 hex digits), the same at every start, so that a test's output can be
 * compared.
 */
export function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
