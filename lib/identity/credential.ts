import type { AuthUrl, Secret } from "../tokens";

/** The user that requests a token, and the service. @see spec, "Service user" */
export interface Credential {
  readonly authUrl: AuthUrl;
  /** The account number, which is Keystone's domain name. */
  readonly accountId: string;
  /** The name of the service user. */
  readonly userName: string;
  readonly password: Secret;
}

/** Scope of the token: the account, or one of its projects. @see spec, "Token kinds" */
export type Scope =
  | { readonly kind: "account" }
  | {
      readonly kind: "project";
      readonly projectName: string;
      /** The place of the name, for messages, if it is not the block: OS_PROJECT_NAME. */
      readonly origin?: string;
    };

/** Certificates as PEM text. */
export interface TlsMaterial {
  /**
   * The CAs for the service's certificate, INSTEAD of the public ones (as with OS_CACERT and curl's
   * --cacert): whoever names a private CA does not want a public one to vouch for the same host.
   */
  readonly ca?: string;
  /** Our certificate, with its chain. Needs `key`. */
  readonly cert?: string;
  readonly key?: Secret;
}

/** A request for a token. */
export interface IssueRequest {
  readonly credential: Credential;
  readonly scope: Scope;
  readonly tls?: TlsMaterial;
  /**
   * Minimum remaining lifetime in milliseconds. By default a cached token is reused while 2 hours,
   * or half of a shorter lifetime, are left.
   */
  readonly minRemainingMs?: number;
  /** Milliseconds for all attempts, 0 for one attempt. @default 30 s, 15 s to reconnect */
  readonly retryForMs?: number;
  /**
   * Where the token will be stored. Tokens in memory are never shared with those in a state:
   * otherwise whoever reads the state would have the token of an ephemeral block.
   *
   * @default "memory"
   */
  readonly keptIn?: "memory" | "state";
}

/** A token that revokes itself. */
export interface RevokeRequest extends Pick<IssueRequest, "tls" | "retryForMs"> {
  readonly authUrl: AuthUrl;
  readonly token: Secret;
}
