import { createHash } from "node:crypto";
import type { Secret } from "../../tokens";
import type { AccountSettings, IdentityProviderSettings } from "../config/settings";
import type { DomainMember, ProjectMember, UserMember } from "./auth-schema";
import { type Account, EmbeddedUser, type LoginRules, type TokenOwner } from "./embedded-user";

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

interface KnownAccount {
  readonly account: Account;
  readonly users: ReadonlyMap<string, EmbeddedUser>;
  readonly projects: ReadonlyMap<string, Project>;
  readonly staticTokens: readonly Secret[];
  readonly identityProviders: readonly IdentityProviderSettings[];
}

/** An identity provider, and the account for which its users have permissions. */
export interface Provider {
  readonly account: Account;
  readonly settings: IdentityProviderSettings;
}

/**
 * Accounts, users, projects and permissions: who exists, and who may get which token. It knows
 * neither HTTP nor tokens.
 */
export class Directory {
  readonly #accounts: readonly KnownAccount[];
  readonly #users: ReadonlyMap<string, EmbeddedUser>;
  readonly #projects: ReadonlyMap<string, Project>;

  constructor(accounts: readonly AccountSettings[], rules: LoginRules) {
    this.#accounts = accounts.map((settings) => toKnownAccount(settings, rules));
    const users = this.#accounts.flatMap((known) => [...known.users.values()]);
    this.#users = new Map(users.map((record) => [record.id, record]));
    const projects = this.#accounts.flatMap((known) => [...known.projects.values()]);
    this.#projects = new Map(projects.map((project) => [project.id, project]));
  }

  /** Those of all accounts. */
  get identityProviders(): readonly Provider[] {
    return this.#accounts.flatMap(({ account, identityProviders }) =>
      identityProviders.map((settings) => ({ account, settings })),
    );
  }

  /** By name if there is one, otherwise by id. */
  account(member: DomainMember): Account | undefined {
    return this.#known(member)?.account;
  }

  /** By name and account if there is a name, otherwise by id. */
  user({ id, name, domain = {} }: UserMember): EmbeddedUser | undefined {
    return name ? this.#known(domain)?.users.get(name) : this.#users.get(id ?? "");
  }

  /** By name and account if there is a name, otherwise by id. */
  project({ id, name, domain = {} }: ProjectMember): Project | undefined {
    return name ? this.#known(domain)?.projects.get(name) : this.#projects.get(id ?? "");
  }

  /**
   * Whether a user may get a token for a scope.
   *
   * @see spec, "Issue an IAM token", rules 1 and 2
   */
  permits({ account: own, settings: { permission } }: TokenOwner, scope: GrantedScope): boolean {
    if (scope.kind === "none") return true;
    const account = scope.kind === "account" ? scope.account : scope.project.account;
    if (account.id !== own.id) return false;
    if (permission.account) return true;
    return scope.kind === "project" && permission.projects.includes(scope.project.name);
  }

  /** The scopes for which a user may get a token. */
  scopesOf(user: TokenOwner): readonly GrantedScope[] {
    const known = this.#known(user.account);
    if (known === undefined) return [];
    const projects = [...known.projects.values()].map(
      (project): GrantedScope => ({ kind: "project", project }),
    );
    const scopes: readonly GrantedScope[] = [
      { kind: "account", account: known.account },
      ...projects,
    ];
    return scopes.filter((scope) => this.permits(user, scope));
  }

  /** The account of a static token. */
  accountOfStaticToken(token: string): Account | undefined {
    return this.#accounts.find(({ staticTokens }) =>
      staticTokens.some((known) => known.reveal() === token),
    )?.account;
  }

  /**
   * Every present and former password of a user, and every static token, to keep them out of the
   * journal.
   */
  *secrets(): Iterable<string> {
    for (const { passwords } of this.#users.values())
      for (const password of passwords) yield password.reveal();
    for (const { staticTokens } of this.#accounts)
      for (const token of staticTokens) yield token.reveal();
  }

  #known({ id, name }: DomainMember): KnownAccount | undefined {
    return this.#accounts.find(({ account }) => (name ? account.name === name : account.id === id));
  }
}

function toKnownAccount(settings: AccountSettings, rules: LoginRules): KnownAccount {
  const account: Account = { id: idOf("account", settings.accountId), name: settings.accountId };
  const permitted = permittedProjects(settings);
  const projects = [...new Set([...settings.projects, ...permitted])];
  const records = [
    ...settings.serviceUsers.map((user) => ({ ...user, isServiceUser: true })),
    ...settings.controlPanelUsers.map((user) => ({
      ...user,
      enabled: true,
      neverLocked: false,
      mayValidate: false,
      secondFactor: false,
      isServiceUser: false,
      permission: { account: true, projects: [] },
    })),
  ].map((user) => new EmbeddedUser(idOf("user", account.name, user.name), account, user, rules));
  return {
    account,
    users: new Map(records.map((record) => [record.name, record])),
    projects: new Map(
      projects.map((name) => [name, { id: idOf("project", account.name, name), name, account }]),
    ),
    staticTokens: settings.staticTokens,
    identityProviders: settings.identityProviders,
  };
}

/** A project exists as soon as a permission names it. */
function permittedProjects({ serviceUsers, identityProviders }: AccountSettings): string[] {
  return [...serviceUsers, ...identityProviders].flatMap(({ permission }) => permission.projects);
}

/**
 * An id in Keystone's form (32 hex digits), the same at every start, so that a test's output can be
 * compared.
 */
export function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
