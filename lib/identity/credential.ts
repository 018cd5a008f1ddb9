import type { AuthUrl, Secret } from "../tokens";

/** Who asks for a token, and where. @see spec, "Service user" */
export interface Credential {
  readonly authUrl: AuthUrl;
  /** The account number, which is Keystone's domain name. */
  readonly accountId: string;
  /** The name of the service user. */
  readonly userName: string;
  readonly password: Secret;
}

/** What the token is for: the account, or one project of it. @see spec, "Token kinds" */
export type Scope =
  | { readonly kind: "account" }
  | { readonly kind: "project"; readonly projectName: string };

/** Certificates as PEM text. */
export interface TlsMaterial {
  /**
   * The CAs that the service's certificate is checked against, INSTEAD of the public ones (as
   * OS_CACERT and curl's --cacert do): who names a private CA does not want any public one to vouch
   * for the same host.
   */
  readonly ca?: string;
  /** Our certificate, with its chain. Needs `key`. */
  readonly cert?: string;
  readonly key?: Secret;
}

/** A wish for a token. */
export interface IssueRequest {
  readonly credential: Credential;
  readonly scope: Scope;
  readonly tls?: TlsMaterial;
  /**
   * Milliseconds that the token must still live. By default a cached one is reused while 2 hours,
   * or half of a shorter lifetime, are left.
   */
  readonly minRemainingMs?: number;
  /** Milliseconds that all tries may take, 0 for one try. @default 30 s, 15 s to reconnect */
  readonly retryForMs?: number;
  /**
   * Where the token is going to be: tokens that stay in memory are never shared with those that are
   * written into a state, or whoever reads the state would hold the token of an ephemeral block
   * too.
   *
   * @default "memory"
   */
  readonly keptIn?: "memory" | "state";
}
