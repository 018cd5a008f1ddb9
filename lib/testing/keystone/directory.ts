import { createHash } from "node:crypto";
import type { EmbeddedProject, EmbeddedUser } from "../config/identity-config";
import type { IdentitySettings, PermissionSettings, ServiceUserSettings } from "../config/settings";
import type { AskedDomain, AskedReference, AskedScope } from "./auth-request";
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
  /** When the password ends, in milliseconds since 1970; undefined: never. */
  readonly passwordEndsAt?: number | undefined;
  /** Whether a token that was issued at this time is still valid after changes of the user. */
  acceptsTokenOf(issuedAt: number): boolean;
}

/** A user of the configuration. */
export interface User extends EmbeddedUser, TokenOwner {
  readonly name: string;
  readonly secondFactor: boolean;
  isEnabled(): boolean;
  hasPassword(given: string): boolean;
}

/** A secret of a user that gives tokens for one project, without the user's password. */
export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly owner: User;
  readonly project: string;
  readonly secret: string;
  readonly accessRules: boolean;
  /** Milliseconds since 1970; undefined: never. */
  readonly expiresAt?: number | undefined;
}

export type Directory = ReturnType<typeof createDirectory>;

/**
 * The account, its users, projects and permissions: who exists, and who may get which token. It
 * knows nothing of tokens.
 */
export function createDirectory(settings: IdentitySettings, now: () => number) {
  const { accountId, serviceUsers, applicationCredentials, staticTokens, projects } = settings;
  /**
   * Every present and former password, secret and static token, to keep them out of the journal.
   */
  const secrets = new Set([...staticTokens, ...applicationCredentials.map(({ secret }) => secret)]);
  const users = serviceUsers.map((user) => toUser(accountId, user, secrets, now));

  /** @throws Refusal */
  function accountOf({ id, name }: AskedDomain): string {
    const accounts = [accountId, ...users.map(({ domain }) => domain)];
    const found = accounts.find(
      (each) => (name ?? each) === each && (id === undefined || id === idOf(each)),
    );
    if (found === undefined) throw new Refusal("unknown_account");
    return found;
  }

  /**
   * The user of a reference. If it has an id and a name, Keystone takes the name.
   *
   * @throws Refusal if there is none: with `status`, if the account is right
   */
  function userOf({ id, name, domain = {} }: AskedReference, status = 401): User {
    const account = name === undefined ? undefined : accountOf(domain);
    const user = users.find((each) =>
      name === undefined ? each.id === id : each.name === name && each.domain === account,
    );
    if (user === undefined) throw new Refusal("unknown_user", status);
    return user;
  }

  const credentials = applicationCredentials.map(({ user, ...given }): ApplicationCredential => {
    const { name = given.id ?? "", id = idOf("application credential", user, name) } = given;
    return { ...given, id, name, owner: userOf({ name: user, domain: { name: accountId } }) };
  });

  const disabled = new Set<string>();
  return {
    accountId,
    secrets,
    /** Undefined if there is none. */
    project: (name: string): EmbeddedProject | undefined =>
      projects.includes(name)
        ? { disable: () => void disabled.add(name), enable: () => void disabled.delete(name) }
        : undefined,
    isDisabled: (scope: RequestedScope) => scope.kind === "project" && disabled.has(scope.project),
    users,
    userOf,
    credentials,
    isStaticToken: (token: string): boolean => staticTokens.includes(token),

    /**
     * A scope by its names. A domain next to a project's id is ignored, as Keystone does.
     *
     * @throws Refusal for what does not exist
     */
    scopeOf(asked: AskedScope): RequestedScope {
      if (asked === "unscoped") return { kind: "none" };
      if ("domain" in asked) return { kind: "account", account: accountOf(asked.domain) };
      const { id, name, domain = {} } = asked.project;
      if (name !== undefined) return { kind: "project", project: name, account: accountOf(domain) };
      const project = projects.find((each) => idOf(each, accountId) === id);
      if (project === undefined) throw new Refusal("unknown_project");
      return { kind: "project", project, account: accountId };
    },

    /**
     * Whether a user may get a token for a scope.
     *
     * @throws Refusal if not
     * @see test/tokens/spec/request-authentication.md, "Rules of issuing an IAM token", 1-2
     */
    assertPermitted({ permission }: TokenOwner, scope: RequestedScope): void {
      if (scope.kind === "none") return;
      if (scope.account !== accountId) throw new Refusal("unknown_account");
      const project = scope.kind === "project" ? scope.project : undefined;
      if (project !== undefined && !projects.includes(project))
        throw new Refusal("unknown_project");
      if (!permission.account && !permission.projects.some((name) => name === project))
        throw new Refusal("no_permission");
    },
  };
}

function toUser(
  account: string,
  { accountId: domain = account, ...given }: ServiceUserSettings,
  secrets: Set<string>,
  now: () => number,
): User {
  const { name, secondFactor } = given;
  let { password, permission, enabled: isEnabled, passwordExpiresAt: passwordEndsAt } = given;
  /** Tokens of this second, or older, are invalid. */
  let deadUntil = Number.NEGATIVE_INFINITY;
  const endTokens = () => {
    deadUntil = Math.floor(now() / 1000) * 1000;
  };
  secrets.add(password);
  return {
    id: idOf("user", domain, name),
    ...{ name, account, domain, secondFactor },
    get permission() {
      return permission;
    },
    get passwordEndsAt() {
      return passwordEndsAt;
    },
    isEnabled: () => isEnabled,
    hasPassword: (given) => given === password,
    acceptsTokenOf: (issuedAt) => isEnabled && issuedAt > deadUntil,
    changePassword(given) {
      password = given;
      passwordEndsAt = undefined;
      secrets.add(given);
      endTokens();
    },
    disable() {
      isEnabled = false;
      endTokens();
    },
    enable() {
      isEnabled = true;
    },
    permit({ account = false, projects = [] }) {
      permission = { account, projects: [...projects] };
    },
  };
}

/**
 * An id in Keystone's form (32 hex digits), the same at every start, so that a test's output can be
 * compared.
 */
export function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
