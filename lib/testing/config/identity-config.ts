import type { FaultsConfig } from "./fault";

/**
 * The access areas of a service user's permission, which decide the tokens that it can be issued.
 *
 * @see spec, "Issue an IAM token", rules 1 and 2
 */
export interface PermissionConfig {
  /**
   * Access area Account: account tokens, and tokens of every project of the account. Default: not
   * selected.
   */
  readonly account?: boolean | undefined;
  /**
   * Access area Projects, with these projects chosen. Each of them exists by being named. Default:
   * none.
   */
  readonly projects?: readonly string[] | undefined;
}

/** A service user. */
export interface ServiceUserConfig {
  readonly name: string;
  readonly password: string;
  /** Default: none, so that every request of this user is answered with 401. */
  readonly permission?: PermissionConfig | undefined;
  /** Whether the user may sign in. Default: true. */
  readonly enabled?: boolean | undefined;
  /**
   * Whether wrong passwords never lock this user (Keystone's option of that kind). Default: false.
   */
  readonly neverLocked?: boolean | undefined;
  /**
   * When the password expires, RFC 3339. From then on the answer is a 401 that says so. Default:
   * never.
   */
  readonly passwordExpiresAt?: string | undefined;
  /**
   * The project that a request without a scope gets, silently, when it is permitted. Default: none;
   * such a token is unscoped.
   */
  readonly defaultProject?: string | undefined;
}

/**
 * A user with access to the control panel. It is never issued a token. @see spec, "Issue an IAM
 * token", rule 3
 */
export interface ControlPanelUserConfig {
  readonly name: string;
  readonly password: string;
}

/** An account: to Keystone, a domain. */
export interface AccountConfig {
  /** The account number, as a text. */
  readonly accountId: string;
  readonly serviceUsers: readonly ServiceUserConfig[];
  /** Projects that exist beside those that a permission names. Default: none. */
  readonly projects?: readonly string[] | undefined;
  /** Users that exist, but are no service users. Default: none. */
  readonly controlPanelUsers?: readonly ControlPanelUserConfig[] | undefined;
}

/** Certificate and key of a server, as PEM texts. */
export interface ServerCertificateConfig {
  readonly certificate: string;
  readonly key: string;
  /** What a client has to trust. Default: the certificate itself. */
  readonly ca?: string | undefined;
}

/** When a user is locked. A locked user gets the usual 401, also with the right password. */
export interface LockoutConfig {
  /** Wrong passwords in a row. */
  readonly failures: number;
  /**
   * How long after the last of them, in seconds; 0: until it is unlocked. Default: 1800,
   * Keystone's.
   */
  readonly seconds?: number | undefined;
}

/** What an identity service does, apart from where it listens. */
export interface InProcessIdentityConfig extends AccountConfig {
  /** More accounts. Default: none. */
  readonly accounts?: readonly AccountConfig[] | undefined;
  /** How long issued tokens live, in seconds. Default: 86400, the spec's 24 hours. */
  readonly tokenLifetimeSeconds?: number | undefined;
  /** How long each answer is held back, in milliseconds. Default: 0. */
  readonly latencyMs?: number | undefined;
  /** Default: nobody is ever locked, which is Keystone's default too. */
  readonly lockout?: LockoutConfig | undefined;
}

/** What an {@link EmbeddedIdentityService} is started with. */
export interface EmbeddedIdentityConfig extends InProcessIdentityConfig {
  /** The address that is listened on. Default: 127.0.0.1, so that only this machine reaches it. */
  readonly host?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /**
   * https, with this certificate or with one made for this start (the server's `ca` is to be
   * trusted). Default: http.
   */
  readonly tls?: ServerCertificateConfig | "throw-away" | undefined;
  /**
   * Only clients with a certificate get in: one of this CA, or one made for this start (the
   * server's `clientCertificate`), which needs
   * `tls: "throw-away"`. Default: no certificate is asked for.
   */
  readonly clientCertificates?: { readonly ca: string } | "throw-away" | undefined;
  /**
   * What goes wrong with which request. Default: nothing. Faults of TLS need `tls: "throw-away"`.
   */
  readonly faults?: FaultsConfig | undefined;
}
