import type { AuthUrl, Secret } from "../tokens";
import type { Claims } from "../tokens/identity-token";

/** A way of signing in, with the service and all parts of the way. */
export type Credential = PasswordCredential | ApplicationCredential | FederatedCredential;

/** A service user with its password. @see spec, "Service user" */
export interface PasswordCredential {
  readonly way: "password";
  readonly authUrl: AuthUrl;
  /** The account number, which is Keystone's domain name. */
  readonly accountId: string;
  /** The name of the service user. */
  readonly userName: string;
  readonly password: Secret;
}

/**
 * Keystone's application credential: a secret of a user's own for one project, and for a part of
 * the user's roles there.
 */
export interface ApplicationCredential {
  readonly way: "application credential";
  readonly authUrl: AuthUrl;
  /** Required with a name; with an id it is compared with the answer. */
  readonly accountId?: string;
  readonly secret: Secret;
  /** A name is unique only among those of one user. */
  readonly by: { readonly id: string } | { readonly name: string; readonly userName: string };
}

/**
 * The identity token (a JWT, OpenID Connect) of a pipeline or a workload, by Keystone's federation.
 */
export interface FederatedCredential {
  readonly way: "identity token";
  readonly authUrl: AuthUrl;
  readonly accountId: string;
  /** Keystone's ids of the identity provider and of its protocol. */
  readonly identityProvider: string;
  readonly protocol: string;
  /**
   * The place of the identity token: two credentials with the same place are the same. Of a value,
   * the value. Not part of messages.
   */
  readonly place: string | Secret;
  /** The place's name in messages: "oidc_token_file of the provider block". */
  readonly origin: string;
  /** Reads the identity token: once for each sign-in, because it lives minutes. */
  readonly readToken: (signal: AbortSignal) => Promise<Secret>;
}

/** A federated credential that has signed in: its unscoped token requests the scoped ones. */
export interface SignedIn extends Omit<FederatedCredential, "place" | "readToken"> {
  readonly unscoped: Secret;
  /** Of the identity token, unverified. */
  readonly claims: Claims;
}

/** What a request for a token contains as a proof of who sends it. */
export type Proof = PasswordCredential | ApplicationCredential | SignedIn;

/** The secret in a request. */
export function secretOf(proof: Proof): Secret {
  switch (proof.way) {
    case "password":
      return proof.password;
    case "application credential":
      return proof.secret;
    case "identity token":
      return proof.unscoped;
  }
}

/** Scope of the token: the account, or one of its projects. @see spec, "Token kinds" */
export type Scope =
  | { readonly kind: "account" }
  | {
      readonly kind: "project";
      /** Absent: the own project of an application credential, the only one that it has. */
      readonly projectName?: string;
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

/** A request to GitHub Actions for the identity token of a job. */
export interface IdentityTokenRequest {
  /** ACTIONS_ID_TOKEN_REQUEST_URL of the job. */
  readonly url: string;
  /** ACTIONS_ID_TOKEN_REQUEST_TOKEN of the job. */
  readonly bearer: Secret;
  /** For whom the token is: the `aud` that the identity service accepts. */
  readonly audience: string;
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
