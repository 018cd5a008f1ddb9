/** Inserted by the build. */
declare const IAM_TOKENS_VERSION: string | undefined;

const version = typeof IAM_TOKENS_VERSION === "undefined" ? "0" : IAM_TOKENS_VERSION;

/**
 * Sent with each request, to a proxy as well: firewalls refuse requests without it, and operators
 * find this client by it.
 *
 * @see RFC 9110, section 10.1.5
 */
export const USER_AGENT = `cdktf-iam-tokens/${version}`;
