import { createHash } from "node:crypto";
import type { EmbeddedUser } from "../config/identity-config";
import type {
  AccountSettings,
  IdentityProviderSettings,
  PermissionSettings,
} from "../config/settings";

/** An account, as in token bodies. */
export interface Account {
  readonly id: string;
  /** The account number: Keystone's domain name. */
  readonly name: string;
}

/** A project of an account. */
interface Project {
  readonly id: string;
  readonly name: string;
  readonly account: Account;
}

/**
 * The scope of an issued token. `none` is Keystone's unscoped token, which the service's
 * specification does not have.
 */
export type GrantedScope =
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "project"; readonly project: Project }
  | { readonly kind: "none" };

/** The owner of a token: a user of the configuration, or of an identity provider. */
export interface TokenOwner {
  readonly id: string;
  readonly name: string;
  /** The account of its permission. */
  readonly account: Account;
  /** Its domain in token bodies: the account, or that of its identity provider. */
  readonly domain: Account;
  readonly permission: PermissionSettings;
  /** Whether a token that was issued at this time is still valid after changes of the user. */
  acceptsTokenOf(issuedAt: number): boolean;
}

/** A user of the configuration. */
export class User implements EmbeddedUser, TokenOwner {
  readonly name: string;
  readonly id: string;
  readonly account: Account;
  readonly permission: PermissionSettings;
  /** False for a user of the control panel. */
  readonly isServiceUser: boolean;
  readonly #secrets: Set<string>;
  readonly #now: () => number;
  #password: string;
  #enabled: boolean;
  /** Tokens of this second, or older, are invalid. */
  #deadUntil = Number.NEGATIVE_INFINITY;

  constructor(
    account: Account,
    {
      name,
      password,
      permission,
      enabled = true,
    }: { name: string; password: string; permission?: PermissionSettings; enabled?: boolean },
    { now, secrets }: { readonly now: () => number; readonly secrets: Set<string> },
  ) {
    this.name = name;
    this.id = idOf("user", account.name, name);
    this.account = account;
    this.permission = permission ?? { account: true, projects: [] };
    this.isServiceUser = permission !== undefined;
    this.#password = password;
    this.#enabled = enabled;
    this.#now = now;
    this.#secrets = secrets.add(password);
  }

  changePassword(password: string): void {
    this.#password = password;
    this.#secrets.add(password);
    this.#endTokens();
  }

  disable(): void {
    this.#enabled = false;
    this.#endTokens();
  }

  enable(): void {
    this.#enabled = true;
  }

  get domain(): Account {
    return this.account;
  }

  get isEnabled(): boolean {
    return this.#enabled;
  }

  hasPassword(given: string): boolean {
    return given === this.#password;
  }

  acceptsTokenOf(issuedAt: number): boolean {
    return this.#enabled && issuedAt > this.#deadUntil;
  }

  #endTokens(): void {
    this.#deadUntil = Math.floor(this.#now() / 1000) * 1000;
  }
}

/** A secret of a user that gives tokens for one project, without the user's password. */
export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly owner: User;
  readonly scope: GrantedScope;
  readonly secret: string;
  /** Milliseconds since 1970; undefined: never. */
  readonly expiresAt: number | undefined;
}

/** An identity provider, and the account for which its users have permissions. */
export interface IdentityProvider extends IdentityProviderSettings {
  readonly account: Account;
}

interface KnownAccount extends Account {
  readonly users: ReadonlyMap<string, User>;
  readonly projects: ReadonlyMap<string, Project>;
}

/**
 * Accounts, users, projects and permissions: who exists, and who may get which token. It knows
 * neither HTTP nor tokens.
 */
export class Directory {
  readonly #accounts = new Map<string, KnownAccount>();
  readonly #staticTokens = new Map<string, Account>();
  readonly credentials: ApplicationCredential[] = [];
  readonly identityProviders: IdentityProvider[] = [];
  /** Every present and former password, secret and static token, to keep them out of the journal. */
  readonly secrets = new Set<string>();

  constructor(accounts: readonly AccountSettings[], now: () => number) {
    for (const settings of accounts) this.#add(settings, now);
  }

  account(name: string): Account | undefined {
    return this.#accounts.get(name);
  }

  user(account: string, name: string): User | undefined {
    return this.#accounts.get(account)?.users.get(name);
  }

  project(account: string, name: string): Project | undefined {
    return this.#accounts.get(account)?.projects.get(name);
  }

  accountOfStaticToken(token: string): Account | undefined {
    return this.#staticTokens.get(token);
  }

  /**
   * Whether a user may get a token for a scope.
   *
   * @see spec, "Issue an IAM token", rules 1 and 2
   */
  permits({ account: own, permission }: TokenOwner, scope: GrantedScope): boolean {
    if (scope.kind === "none") return true;
    const account = scope.kind === "account" ? scope.account : scope.project.account;
    if (account.id !== own.id) return false;
    if (permission.account) return true;
    return scope.kind === "project" && permission.projects.includes(scope.project.name);
  }

  #add(settings: AccountSettings, now: () => number): void {
    const { accountId, serviceUsers, controlPanelUsers, identityProviders } = settings;
    const account: Account = { id: idOf("account", accountId), name: accountId };
    const users = [...serviceUsers, ...controlPanelUsers].map(
      (user) => new User(account, user, { now, secrets: this.secrets }),
    );
    // A project exists as soon as a permission names it.
    const named = [...serviceUsers, ...identityProviders].flatMap(
      ({ permission: { projects } }) => projects,
    );
    const projects = [...new Set([...settings.projects, ...named])].map((name) => ({
      id: idOf("project", accountId, name),
      name,
      account,
    }));
    this.#accounts.set(accountId, {
      ...account,
      users: new Map(users.map((user) => [user.name, user])),
      projects: new Map(projects.map((project) => [project.name, project])),
    });
    this.identityProviders.push(...identityProviders.map((given) => ({ ...given, account })));
    for (const token of settings.staticTokens) {
      this.#staticTokens.set(token, account);
      this.secrets.add(token);
    }
    for (const { user, project: wanted, ...given } of settings.applicationCredentials) {
      const owner = this.user(accountId, user);
      const project = this.project(accountId, wanted);
      const { name = given.id ?? "", expiresAt } = given;
      const id = given.id ?? idOf("application credential", accountId, user, name);
      if (owner === undefined || project === undefined) continue;
      const scope: GrantedScope = { kind: "project", project };
      // A credential ends with its user's permission for the project.
      if (!this.permits(owner, scope)) continue;
      this.credentials.push({ id, name, owner, scope, secret: given.secret, expiresAt });
      this.secrets.add(given.secret);
    }
  }
}

/**
 * An id in Keystone's form (32 hex digits), the same at every start, so that a test's output can be
 * compared.
 */
export function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
