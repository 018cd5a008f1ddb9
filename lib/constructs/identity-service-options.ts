import type { ServiceUserPermission } from "./values/service-user-permission";

/** What an identity service may be given, wherever its credentials come from. */
export interface IdentityServiceOptions {
  /**
   * Base address of the product APIs: addresses that the tokens of this service are for must fall
   * under it, in scheme, host, port and path (`/v1` covers `/v1/servers`, not `/v10`). May be a
   * Terraform expression.
   *
   * @default - tokens may be for any address
   * @see spec, "Authentication", 7
   */
  readonly baseUrl?: string;
  /**
   * Refuse to do without `baseUrl`: for options that come from elsewhere.
   *
   * @default false
   */
  readonly requireBaseUrl?: boolean;
  /**
   * What the permission of the service user covers. Tokens that it does not allow are refused when
   * the program is synthesized.
   *
   * @default - not declared: the service decides
   */
  readonly permission?: ServiceUserPermission;
  /**
   * PEM file of certificate authorities that the service's certificate may come from; absolute, or
   * relative to the folder in which the program is synthesized.
   *
   * @default - the certificate authorities that Node.js trusts
   */
  readonly caFile?: string;
  /**
   * PEM file of a client certificate; together with `keyFile`.
   *
   * @default - no client certificate
   */
  readonly certFile?: string;
  /**
   * PEM file of the client certificate's key, not encrypted; together with `certFile`.
   *
   * @default - no client certificate
   */
  readonly keyFile?: string;
  /**
   * How long all tries of a request for a token may take, from `"0s"` (one try) to `"5m"`: a
   * service that restarts is waited for. An answer of 429 or 5xx ends it after four tries. May be a
   * Terraform expression.
   *
   * @default - 30 s, of which a connection that is refused or reset is tried again for 15 s
   */
  readonly retryFor?: string;
}

/** What an identity service may be given whose credentials are looked up when Terraform runs. */
export interface IdentityServiceLookupOptions extends IdentityServiceOptions {
  /**
   * Folder in which clouds.yaml and secure.yaml are looked for first, and that relative files in
   * them and in OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE and OS_CACERT start from; absolute, or
   * relative to the folder in which the program is synthesized.
   *
   * @default - the folder in which the program is synthesized
   */
  readonly cloudsFolder?: string;
}

/** The names of the options. */
export const IDENTITY_SERVICE_OPTIONS: readonly (keyof IdentityServiceOptions)[] = [
  "baseUrl",
  "requireBaseUrl",
  "permission",
  "caFile",
  "certFile",
  "keyFile",
  "retryFor",
];
