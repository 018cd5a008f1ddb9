import { createHash } from "node:crypto";
import type { DomainMember, ProjectMember, UserMember } from "./auth-schema";
import type { Account, Project } from "./directory-entries";
import type { AccountSettings } from "./settings";
import { UserRecord } from "./user-record";

/**
 * What a request asks a token for, by names. `none` is Keystone's unscoped token, which the spec
 * does not have.
 */
export type RequestedScope =
  | { readonly kind: "account"; readonly account: string }
  | { readonly kind: "project"; readonly project: string; readonly account: string }
  | { readonly kind: "system" }
  | { readonly kind: "none" };

/** What a token is issued for. */
export type GrantedScope =
  | { readonly kind: "account"; readonly account: Account }
  | { readonly kind: "project"; readonly project: Project }
  | { readonly kind: "none" };

/**
 * Why a request is refused. The journal tells; the client, as with Keystone, gets the same 401 for
 * nearly all of them.
 */
export type RefusalReason =
  | "unknown_account"
  | "unknown_user"
  | "wrong_password"
  | "user_disabled"
  | "user_locked"
  | "password_expired"
  | "not_a_service_user"
  | "unknown_project"
  | "no_permission"
  | "unsupported_method"
  | "malformed_request"
  | "server_error"
  | "token_missing"
  | "token_unknown"
  | "token_expired"
  | "token_revoked"
  | "token_of_another_user";

interface KnownAccount {
  readonly account: Account;
  readonly users: ReadonlyMap<string, UserRecord>;
  readonly projects: ReadonlyMap<string, Project>;
}

/**
 * Accounts, users, projects and permissions: who is there, and who may be issued which token. It
 * knows neither HTTP nor tokens.
 */
export class Directory {
  readonly #accounts: readonly KnownAccount[];
  readonly #users: ReadonlyMap<string, UserRecord>;
  readonly #projects: ReadonlyMap<string, Project>;

  constructor(accounts: readonly AccountSettings[]) {
    this.#accounts = accounts.map(toKnownAccount);
    const users = this.#accounts.flatMap((known) => [...known.users.values()]);
    this.#users = new Map(users.map((record) => [record.user.id, record]));
    const projects = this.#accounts.flatMap((known) => [...known.projects.values()]);
    this.#projects = new Map(projects.map((project) => [project.id, project]));
  }

  /** The one that stands at the top of the configuration. */
  get firstAccount(): Account {
    const [first] = this.#accounts;
    // A configuration without an account is refused.
    if (first === undefined) throw new RangeError("no account");
    return first.account;
  }

  /** By name when there is one, else by id. */
  account({ id, name }: DomainMember): Account | undefined {
    return this.#known({ id, name })?.account;
  }

  /** By name and account when there is a name, else by id. */
  user({ id, name, domain = {} }: UserMember): UserRecord | undefined {
    return name ? this.#known(domain)?.users.get(name) : this.#users.get(id ?? "");
  }

  userById(id: string): UserRecord | undefined {
    return this.#users.get(id);
  }

  /** By name and account when there is a name, else by id. */
  project({ id, name, domain = {} }: ProjectMember): Project | undefined {
    return name ? this.#known(domain)?.projects.get(name) : this.#projects.get(id ?? "");
  }

  /**
   * Whether a user may be issued a token for a scope.
   *
   * @see spec, "Issue an IAM token", rules 1 and 2
   */
  permits({ user, permission }: UserRecord, scope: GrantedScope): boolean {
    if (scope.kind === "none") return true;
    const account = scope.kind === "account" ? scope.account : scope.project.account;
    if (account.id !== user.account.id) return false;
    if (permission.account) return true;
    return scope.kind === "project" && permission.projects.includes(scope.project.name);
  }

  /** Every password that a user has or had, to keep them out of the journal. */
  *passwords(): Iterable<string> {
    for (const { passwords } of this.#users.values())
      for (const password of passwords) yield password.reveal();
  }

  #known({
    id,
    name,
  }: {
    readonly id?: string | undefined;
    readonly name?: string | undefined;
  }): KnownAccount | undefined {
    return this.#accounts.find(({ account }) => (name ? account.name === name : account.id === id));
  }
}

function toKnownAccount(settings: AccountSettings): KnownAccount {
  const account: Account = { id: idOf("account", settings.accountId), name: settings.accountId };
  const names = new Set([
    ...settings.projects,
    ...settings.serviceUsers.flatMap((user) => user.permission.projects),
  ]);
  const records = [
    ...settings.serviceUsers.map((user) => ({ ...user, isServiceUser: true })),
    ...settings.controlPanelUsers.map((user) => ({
      ...user,
      enabled: true,
      neverLocked: false,
      isServiceUser: false,
      permission: { account: true, projects: [] },
    })),
  ].map(({ name, isServiceUser, ...user }) => {
    return new UserRecord(
      { id: idOf("user", account.name, name), name, account, isServiceUser },
      user,
    );
  });
  return {
    account,
    users: new Map(records.map((record) => [record.user.name, record])),
    projects: new Map(
      [...names].map((name) => [name, { id: idOf("project", account.name, name), name, account }]),
    ),
  };
}

/**
 * An id of Keystone's form (32 hex digits), the same at every start, so that what a test prints can
 * be compared.
 */
function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
