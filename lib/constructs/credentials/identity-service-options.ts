import type { ServiceUserPermission } from "../values/service-user-permission";

/**
 * Options of every identity service, whatever the source of its credentials.
 *
 * @see docs/credentials.md
 */
export interface IdentityServiceOptions {
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
   * Whether a missing `baseUrl` is an error (ERR_BASE_URL_MISSING). Useful if the options come from
   * elsewhere.
   *
   * @default false
   */
  readonly requireBaseUrl?: boolean;
  /**
   * The permission of the service user. Synthesis refuses tokens that it does not cover
   * (ERR_PERMISSION_INSUFFICIENT).
   *
   * @default - not declared: the service decides
   */
  readonly permission?: ServiceUserPermission;
  /**
   * PEM file with the certificate authorities that are trusted for the service's certificate.
   * Absolute, or relative to the folder in which the program is synthesized.
   *
   * @default - the certificate authorities that Node.js trusts
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

/**
 * Options of an identity service whose credentials are looked up when Terraform runs.
 *
 * @see docs/credentials.md
 */
export interface IdentityServiceLookupOptions extends IdentityServiceOptions {
  /**
   * Folder that is searched first for clouds.yaml and secure.yaml. Relative paths in these files,
   * in OS_CLIENT_CONFIG_FILE, in OS_CLIENT_SECURE_FILE and in OS_CACERT start there. Absolute, or
   * relative to the folder in which the program is synthesized.
   *
   * @default - the folder in which the program is synthesized
   */
  readonly cloudsFolder?: string;
}
