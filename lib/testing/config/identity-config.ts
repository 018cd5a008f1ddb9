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
  /** Default: none; every request of this user then gets a 401. */
  readonly permission?: PermissionConfig | undefined;
  /** Whether the user may sign in. Default: true. */
  readonly enabled?: boolean | undefined;
  /**
   * Whether wrong passwords never lock this user (a Keystone option). Default: false.
   */
  readonly neverLocked?: boolean | undefined;
  /**
   * When the password expires, RFC 3339. From then on, the answer is a 401 that mentions it.
   * Default: never.
   */
  readonly passwordExpiresAt?: string | undefined;
  /**
   * Whether a scoped token of this user validates every token, as with Keystone's role `service`:
   * for the service user of keystonemiddleware. Default: false; a user validates its own tokens
   * only.
   */
  readonly mayValidate?: boolean | undefined;
  /**
   * Whether the user has a second factor: its password alone gets a 401 with a receipt, as in
   * Keystone. This service knows no passcode, so the user signs in by application credentials only.
   * Default: false.
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
  /** A service user of the account. Without a permission for the project, it does not exist. */
  readonly user: string;
  readonly project: string;
  readonly secret: string;
  /** When it ends, RFC 3339; its tokens do not live longer. Default: never. */
  readonly expiresAt?: string | undefined;
  /**
   * Whether its tokens say that Keystone would let them make and delete application credentials.
   * This service has no page for that. Default: false.
   */
  readonly unrestricted?: boolean | undefined;
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

/**
 * A user with access to the control panel, who never gets a token. @see docs/testing.md
 */
export interface ControlPanelUserConfig {
  readonly name: string;
  readonly password: string;
}

/** An account, which is a domain in Keystone. @see docs/testing.md */
export interface AccountConfig {
  /** The account number, as a string. */
  readonly accountId: string;
  readonly serviceUsers: readonly ServiceUserConfig[];
  /** Projects in addition to those in permissions. Default: none. */
  readonly projects?: readonly string[] | undefined;
  /** Users that exist but are not service users. Default: none. */
  readonly controlPanelUsers?: readonly ControlPanelUserConfig[] | undefined;
  /** Static tokens of the account, which `/echo` accepts in X-Token. Default: none. */
  readonly staticTokens?: readonly string[] | undefined;
  /** Application credentials of its service users. Default: none. */
  readonly applicationCredentials?: readonly ApplicationCredentialConfig[] | undefined;
  /** Identity providers whose users have permissions in this account. Default: none. */
  readonly identityProviders?: readonly IdentityProviderConfig[] | undefined;
}

/** An address of a service in the catalog, in Keystone's form. @see docs/testing.md */
export interface CatalogEndpointConfig {
  readonly interface: "public" | "internal" | "admin";
  /**
   * With Keystone's substitutions: `%(project_id)s` (or `%(tenant_id)s`) and `%(user_id)s`, also
   * with `$` for `%`. `%%` is a percent sign. An account token's catalog does not have the
   * endpoints that need a project.
   *
   * @example "http://127.0.0.1:8774/v2.1"
   */
  readonly url: string;
  /** Default: RegionOne. */
  readonly region_id?: string | null | undefined;
  /** The same as `region_id`, as Keystone repeats it. */
  readonly region?: string | null | undefined;
  /** Default: made up, the same at each start. */
  readonly id?: string | undefined;
}

/** A service in the catalog, in Keystone's form. @see docs/testing.md */
export interface CatalogServiceConfig {
  /** The type that clients look for: `compute`, `network` … */
  readonly type: string;
  /** Default: empty. */
  readonly name?: string | undefined;
  /** Default: made up, the same at each start. */
  readonly id?: string | undefined;
  readonly endpoints: readonly CatalogEndpointConfig[];
}

/** Certificate and key of a server, as PEM strings. */
export interface ServerCertificateConfig {
  readonly certificate: string;
  readonly key: string;
  /** Certificates that a client must trust. Default: the certificate itself. */
  readonly ca?: string | undefined;
}

/** When a user is locked. A locked user gets the usual 401, even with the right password. */
export interface LockoutConfig {
  /** Number of consecutive wrong passwords. */
  readonly failures: number;
  /**
   * Duration after the last of them, in seconds; 0: until somebody unlocks the user. Default: 1800,
   * as in Keystone.
   */
  readonly seconds?: number | undefined;
}

/** Configuration of an identity service without an address. @see docs/testing.md */
export interface InProcessIdentityConfig extends AccountConfig {
  /** More accounts. Default: none. */
  readonly accounts?: readonly AccountConfig[] | undefined;
  /** Lifetime of issued tokens, in seconds. Default: 86400, the service's 24 hours. */
  readonly tokenLifetimeSeconds?: number | undefined;
  /**
   * The service catalog of scoped tokens, in which OpenStack's clients find the address of a
   * service. The identity service is always in it; an entry with type `identity` replaces that one.
   * Default: the identity service alone.
   */
  readonly catalog?: readonly CatalogServiceConfig[] | undefined;
  /** Delay of each answer, in milliseconds. Default: 0. */
  readonly latencyMs?: number | undefined;
  /** Default: nobody is ever locked, as in Keystone. */
  readonly lockout?: LockoutConfig | undefined;
}

/** Configuration of an {@link EmbeddedIdentityService}. @see docs/testing.md */
export interface EmbeddedIdentityConfig extends InProcessIdentityConfig {
  /** The address on which it listens. Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /**
   * https, with this certificate or with one made for this start (clients must trust the server's
   * `ca`). Default: http.
   */
  readonly tls?: ServerCertificateConfig | "throw-away" | undefined;
  /**
   * Only clients with a certificate are accepted: one of this CA, or one made for this start (the
   * server's `clientCertificate`), which needs `tls: "throw-away"`. Default: no certificate is
   * requested.
   */
  readonly clientCertificates?: { readonly ca: string } | "throw-away" | undefined;
}
