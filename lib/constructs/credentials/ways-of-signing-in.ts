import type { SecretRef } from "../values/secret-ref";

/**
 * A service user, the user that the service describes for IAM tokens. @see docs/credentials.md
 */
export interface ServiceUser {
  /**
   * Name of the service user; in the control panel, under Account, Users, tab Service users. May be
   * a Terraform expression.
   */
  readonly name: string;
  /** Where its password comes from. */
  readonly password: SecretRef;
}

/**
 * An application credential of Keystone, by its id, or by its name with the name of its user. It
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
   * @default - name and userName are given
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
