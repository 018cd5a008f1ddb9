import { createHash, timingSafeEqual } from "node:crypto";
import type { Secret } from "../../tokens";
import type { AccountSettings } from "./settings";

/** An account, as token bodies show it. */
export interface Account {
  readonly id: string;
  /** The account number: Keystone's domain name. */
  readonly name: string;
}

/** A project of an account. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly account: Account;
}

/** A user of an account. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly account: Account;
  readonly isServiceUser: boolean;
}

/** What a request asks a token for, by names. `none` is Keystone's unscoped token, which the spec does not have. */
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

/** Why a request is refused. The journal tells; the client, as with Keystone, gets the same 401 for all of them. */
export type RefusalReason =
  | "unknown_account"
  | "unknown_user"
  | "wrong_password"
  | "user_disabled"
  | "not_a_service_user"
  | "unknown_project"
  | "no_permission"
  | "unsupported_method"
  | "malformed_request"
  | "token_missing"
  | "token_unknown"
  | "token_expired"
  | "token_revoked"
  | "token_of_another_user";

/** The outcome of a decision. */
export type Granted =
  | { readonly granted: true; readonly user: User; readonly scope: GrantedScope }
  | { readonly granted: false; readonly reason: RefusalReason };

interface KnownUser extends User {
  readonly password: Secret;
  readonly enabled: boolean;
  readonly permission: { readonly account: boolean; readonly projects: readonly string[] };
}

interface KnownAccount {
  readonly account: Account;
  readonly users: ReadonlyMap<string, KnownUser>;
  readonly projects: ReadonlyMap<string, Project>;
}

/** Accounts, users, projects and permissions: who may be issued which token. Pure; it knows neither HTTP nor tokens. */
export class Directory {
  readonly #accounts: ReadonlyMap<string, KnownAccount>;

  constructor(accounts: readonly AccountSettings[]) {
    this.#accounts = new Map(accounts.map((settings) => [settings.accountId, toKnownAccount(settings)]));
  }

  /**
   * Decides whether a user is issued a token for a scope.
   *
   * @see spec, "Issue an IAM token", rules 1 to 3
   */
  grant(accountId: string, userName: string, password: string, scope: RequestedScope): Granted {
    const home = this.#accounts.get(accountId);
    if (home === undefined) return refuse("unknown_account");
    const user = home.users.get(userName);
    if (user === undefined) return refuse("unknown_user");
    if (!sameText(user.password.reveal(), password)) return refuse("wrong_password");
    if (!user.enabled) return refuse("user_disabled");
    if (!user.isServiceUser) return refuse("not_a_service_user");
    return this.#grantScope(home, user, scope);
  }

  /** Every password, to keep them out of the journal. */
  *passwords(): Iterable<string> {
    for (const { users } of this.#accounts.values()) for (const { password } of users.values()) yield password.reveal();
  }

  #grantScope(home: KnownAccount, user: KnownUser, scope: RequestedScope): Granted {
    if (scope.kind === "none") return { granted: true, user, scope };
    if (scope.kind === "system") return refuse("no_permission");
    if (!this.#accounts.has(scope.account)) return refuse("unknown_account");
    if (scope.account !== home.account.name) return refuse("no_permission");
    if (scope.kind === "account") {
      if (!user.permission.account) return refuse("no_permission");
      return { granted: true, user, scope: { kind: "account", account: home.account } };
    }
    const project = home.projects.get(scope.project);
    if (project === undefined) return refuse("unknown_project");
    if (!user.permission.account && !user.permission.projects.includes(project.name)) return refuse("no_permission");
    return { granted: true, user, scope: { kind: "project", project } };
  }
}

function refuse(reason: RefusalReason): Granted {
  return { granted: false, reason };
}

function toKnownAccount(settings: AccountSettings): KnownAccount {
  const account: Account = { id: idOf("account", settings.accountId), name: settings.accountId };
  const names = new Set([...settings.projects, ...settings.serviceUsers.flatMap((user) => user.permission.projects)]);
  const users: KnownUser[] = [
    ...settings.serviceUsers.map((user) => ({ ...user, isServiceUser: true })),
    ...settings.controlPanelUsers.map((user) => ({
      ...user,
      enabled: true,
      isServiceUser: false,
      permission: { account: true, projects: [] },
    })),
  ].map((user) => ({ ...user, id: idOf("user", account.name, user.name), account }));
  return {
    account,
    users: new Map(users.map((user) => [user.name, user])),
    projects: new Map([...names].map((name) => [name, { id: idOf("project", account.name, name), name, account }])),
  };
}

/** An id of Keystone's form (32 hex digits), the same at every start, so that what a test prints can be compared. */
function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function sameText(expected: string, given: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(expected), digest(given));
}
