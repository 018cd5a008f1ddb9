import type { SecretRef } from "../values/secret-ref";

/**
 * A service user, the user that the service describes for IAM tokens. @see docs/credentials.md
 */
export interface ServiceUser {
  /**
   * Name of the service user; in the control panel, under Account, Users, tab Service users. May be
   * a Terraform expression.
   *
   * @default - id is given
   */
  readonly name?: string;
  /**
   * Id of the service user, in place of its name. May be a Terraform expression.
   *
   * @default - name is given
   */
  readonly id?: string;
  /**
   * Name of the user's domain. May be a Terraform expression.
   *
   * @default - the account
   */
  readonly domainName?: string;
  /**
   * The same domain by its id. May be a Terraform expression.
   *
   * @default - the account
   */
  readonly domainId?: string;
  /** Where its password comes from. */
  readonly password: SecretRef;
}

/**
 * An application credential of Keystone, by its id, or by its name with its user. It
 * belongs to one project: it gets tokens for that project only.
 *
 * @see docs/signing-in.md
 * @example
 * new IdentityService(this, "identity", {
 *   authUrl: "https://cloud.api.example.com",
 *   applicationCredential: {
 *     id: "4fd3c2b1a0",
 *     secret: SecretRef.env("OS_APPLICATION_CREDENTIAL_SECRET"),
 *   },
 * });
 */
export interface ApplicationCredential {
  /**
   * Its id. May be a Terraform expression.
   *
   * @default - name is given, with userName or userId
   */
  readonly id?: string;
  /**
   * Its name, in place of the id. May be a Terraform expression.
   *
   * @default - id is given
   */
  readonly name?: string;
  /**
   * With `name`: the name of its user. May be a Terraform expression.
   *
   * @default - id is given
   */
  readonly userName?: string;
  /**
   * With `name`: the id of its user, in place of `userName`. May be a Terraform expression.
   *
   * @default - id or userName is given
   */
  readonly userId?: string;
  /**
   * With `userName`: the name of the user's domain. May be a Terraform expression.
   *
   * @default - the account
   */
  readonly userDomainName?: string;
  /**
   * The same domain by its id. May be a Terraform expression.
   *
   * @default - the account
   */
  readonly userDomainId?: string;
  /** Where its secret comes from. */
  readonly secret: SecretRef;
}

/**
 * Federation: the pipeline has an identity token (a JWT, OpenID Connect), and the identity service
 * accepts it because it knows the issuer. No secret is stored.
 *
 * @see docs/signing-in.md
 * @example
 * new IdentityService(this, "identity", {
 *   authUrl: "https://cloud.api.example.com",
 *   accountId: "123456",
 *   federation: {
 *     identityProvider: "github",
 *     protocol: "openid",
 *     token: SecretRef.githubActions("https://iam.example.com"),
 *   },
 * });
 */
export interface Federation {
  /** Id of the identity provider at the identity service. May be a Terraform expression. */
  readonly identityProvider: string;
  /** Id of its protocol, often `openid`. May be a Terraform expression. */
  readonly protocol: string;
  /** Where the identity token comes from. It is read, or asked for, at each sign-in. */
  readonly token: SecretRef;
}

/**
 * Properties of an {@link IdentityService}: `authUrl` and exactly one of `serviceUser`,
 * `applicationCredential` and `federation`; or `cloud`; or neither, for the environment.
 *
 * @see docs/credentials.md
 */
export interface IdentityServiceProps {
  /**
   * Address of the identity service: https, or http on loopback. An address that ends in `/v3` is
   * used as it is; one that ends in `/identity` gets `/v3`, and any other gets `/identity/v3`. May
   * be a Terraform expression.
   *
   * @default - that of the cloud, or of the environment
   */
  readonly authUrl?: string;
  /**
   * Entry of clouds.yaml, merged with secure.yaml, that has the service and the way of signing in.
   * The provider searches for both files when Terraform runs, in openstacksdk's order, in the
   * project's folder first. Synthesis reads neither. May be a Terraform expression.
   *
   * @default - the other properties, or the environment
   */
  readonly cloud?: string;
  /**
   * With `cloud`, or the environment: folder that is searched first for clouds.yaml and secure.yaml.
   * Relative paths in these files, in OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE, OS_CACERT,
   * OS_CERT and OS_KEY start there. Absolute, or relative to the folder in which the program is
   * synthesized.
   *
   * @default - the folder in which the program is synthesized
   */
  readonly cloudsFolder?: string;
  /**
   * Account number, as a string; in the control panel, it is in the upper right corner. In
   * Keystone, it is the name of a domain: that of the user, of projects and of account tokens. May
   * be a Terraform expression. Not needed for what has an id, or a domain of its own.
   *
   * @default - accountDomainId, if it is given
   */
  readonly accountId?: string;
  /**
   * Id of the account's domain, in place of `accountId`. May be a Terraform expression.
   *
   * @default - accountId names the account
   */
  readonly accountDomainId?: string;
  /**
   * Name of the domain in which projects are found by name. May be a Terraform expression.
   *
   * @default - the account
   */
  readonly projectDomainName?: string;
  /**
   * The same domain by its id. May be a Terraform expression.
   *
   * @default - the account
   */
  readonly projectDomainId?: string;
  /**
   * The user that gets the tokens, with its password.
   *
   * @default - another way of signing in is given
   */
  readonly serviceUser?: ServiceUser;
  /**
   * The application credential that gets the tokens, for its own project only.
   *
   * @default - another way of signing in is given
   */
  readonly applicationCredential?: ApplicationCredential;
  /**
   * The identity token of the pipeline, and who accepts it.
   *
   * @default - another way of signing in is given
   */
  readonly federation?: Federation;
  /**
   * Base address of the product APIs. Addresses that the tokens of this service are requested for
   * must be below it: the same scheme, host and port, and a path at or below its path (`/v1` covers
   * `/v1/servers`, not `/v10`). May be a Terraform expression.
   *
   * @default - tokens may be for any address
   * @see docs/guard-rails.md
   */
  readonly baseUrl?: string;
  /**
   * PEM file with the certificate authorities that are trusted for the service's certificate.
   * Absolute, or relative to the folder in which the program is synthesized.
   *
   * @default - the certificate authorities that Node.js trusts
   * @see docs/credentials.md#a-proxy-a-company-ca
   */
  readonly caFile?: string;
  /**
   * PEM file with a client certificate. Needs `keyFile`.
   *
   * @default - no client certificate
   */
  readonly certFile?: string;
  /**
   * PEM file with the client certificate's key, not encrypted. Needs `certFile`.
   *
   * @default - no client certificate
   */
  readonly keyFile?: string;
  /**
   * Time limit for all attempts of one token request together, from `"0s"` (one attempt) to `"5m"`:
   * a request survives a restart of the service. Answers of 429 and 5xx and failed connections are
   * tried again, other answers never. May be a Terraform expression.
   *
   * @default - 20 s
   */
  readonly retryFor?: string;
}
