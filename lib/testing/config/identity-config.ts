import type { TokenKindId } from "../../tokens";

/**
 * The access areas of a service user's permission, which decide the tokens that the user can get.
 *
 * @see docs/testing.md
 */
export interface PermissionConfig {
  /**
   * Access area Account: tokens for the account and for each of its projects. Default: not
   * selected.
   */
  readonly account?: boolean | undefined;
  /**
   * Access area Projects, with these projects selected. Naming a project creates it. Default: none.
   */
  readonly projects?: readonly string[] | undefined;
}

/** A service user. @see docs/testing.md */
export interface ServiceUserConfig {
  readonly name: string;
  readonly password: string;
  /** The account (Keystone's domain) in which the user lives. Default: the service's. */
  readonly accountId?: string | undefined;
  /** Default: none; every request of this user then gets a 401. */
  readonly permission?: PermissionConfig | undefined;
  /** Whether the user may sign in. Default: true. */
  readonly enabled?: boolean | undefined;
  /** When the password ends, RFC 3339; in the past, as a first one ends that has to be changed. Default: never. */
  readonly passwordExpiresAt?: string | undefined;
  /**
   * Whether the user needs a second factor, which this service does not take: neither the password
   * nor an application credential is enough. Default: false.
   */
  readonly secondFactor?: boolean | undefined;
}

/**
 * An application credential: a secret for one project of a service user, without the password.
 * @see docs/testing.md
 */
export interface ApplicationCredentialConfig {
  /** Default: made up, the same at each start. An id or a name is required. */
  readonly id?: string | undefined;
  /** Default: the id. */
  readonly name?: string | undefined;
  /** A service user of the account, who is permitted for the project. */
  readonly user: string;
  readonly project: string;
  readonly secret: string;
  /**
   * Whether it has access rules, for other services: its tokens may not revoke themselves. Default:
   * false.
   */
  readonly accessRules?: boolean | undefined;
  /** When it ends, RFC 3339; its tokens do not live longer. Default: never. */
  readonly expiresAt?: string | undefined;
}

/**
 * An identity provider: the issuer of identity tokens (OpenID Connect) that are accepted in place
 * of a password. `oidcToken()` makes such tokens. @see docs/testing.md
 */
export interface IdentityProviderConfig {
  readonly id: string;
  /** Default: `openid`. */
  readonly protocol?: string | undefined;
  /** The accepted issuer (`iss`). Default: `https://ID.issuer.invalid`. */
  readonly issuer?: string | undefined;
  /** The required audience (`aud`). Default: any. */
  readonly audience?: string | undefined;
  /** The tokens that its users can get. Default: none. */
  readonly permission?: PermissionConfig | undefined;
}

/** Configuration of an {@link EmbeddedIdentityService}. @see docs/testing.md */
export interface EmbeddedIdentityConfig {
  /** The number of its account (a domain in Keystone), as a string. */
  readonly accountId: string;
  readonly serviceUsers: readonly ServiceUserConfig[];
  /** Projects in addition to those in permissions. Default: none. */
  readonly projects?: readonly string[] | undefined;
  /** Static tokens of the account, which `/echo` accepts in X-Token. Default: none. */
  readonly staticTokens?: readonly string[] | undefined;
  /** Application credentials of its service users. Default: none. */
  readonly applicationCredentials?: readonly ApplicationCredentialConfig[] | undefined;
  /** Identity providers whose users have permissions in this account. Default: none. */
  readonly identityProviders?: readonly IdentityProviderConfig[] | undefined;
  /** Lifetime of issued tokens, in seconds. Default: 86400, the service's 24 hours. */
  readonly tokenLifetimeSeconds?: number | undefined;
  /**
   * The service catalog of scoped tokens, as it is given: for clients that look for addresses in
   * it. Default: none.
   */
  readonly catalog?: readonly unknown[] | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
}

/** The claims of an identity token. @see docs/testing.md */
export interface OidcTokenOptions {
  /** The `id` of the identity provider that it is for. Default: the first one. */
  readonly identityProvider?: string;
  /** Issuer. Default: the one that the identity provider accepts. */
  readonly iss?: string;
  /** Subject: the name of the user that it becomes. Default: `job`. */
  readonly sub?: string;
  /** Audience. Default: the one that the identity provider requires, if it requires one. */
  readonly aud?: string | readonly string[];
  /** Seconds until it expires; negative: it has expired. Default: 300. */
  readonly expiresIn?: number;
  /** Further claims. Default: none. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * The variables of a job of GitHub Actions that has `permissions: id-token: write`.
 *
 * @see docs/testing.md
 */
export interface GithubActionsVariables {
  readonly ACTIONS_ID_TOKEN_REQUEST_URL: string;
  /** A secret. */
  readonly ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
}

/** A user of the configuration. Changes while the identity service runs. @see docs/testing.md */
export interface EmbeddedUser {
  readonly name: string;
  /**
   * All tokens of the user become invalid, including those issued later in the same second with the
   * new password.
   */
  changePassword(password: string): void;
  /** The user cannot sign in, and all its tokens become invalid. */
  disable(): void;
  /** The user can sign in again. Its old tokens stay invalid. */
  enable(): void;
  /** Replaces the permission. Tokens beyond it are refused, as long as that lasts. */
  permit(permission: PermissionConfig): void;
}

/** A project of the account. Changes while the identity service runs. @see docs/testing.md */
export interface EmbeddedProject {
  /** Nobody gets a token for it, and its tokens are hidden (404), until it is enabled again. */
  disable(): void;
  enable(): void;
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
