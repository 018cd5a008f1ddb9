import { parseAddress } from "./address";

/** The address of an identity service, checked and completed. */
export interface AuthUrl {
  /** The base that ends in `/v3`, without a slash after it. */
  readonly v3: string;
  /** Where tokens are issued: `…/v3/auth/tokens`. */
  readonly tokens: string;
  /** The address without a version that the service is asked about; `v3` is a guess until then. */
  readonly asked?: string;
}

/**
 * Checks and completes the address of an identity service.
 *
 * An address whose path ends in `/v3` is used as it is, one that ends in `/identity` gets `/v3`,
 * any other gets `/identity/v3`. {@link parseAddress} says which addresses are accepted.
 *
 * @throws ERR_ADDRESS_INVALID
 * @example parseAuthUrl("https://cloud.example.com").v3 // "https://cloud.example.com/identity/v3"
 * @see docs/credentials.md
 */
export function parseAuthUrl(text: unknown): AuthUrl {
  const given = withoutSlash(text);
  const added = /\/v3$/.test(given) ? "" : given.endsWith("/identity") ? "/v3" : "/identity/v3";
  const v3 = given + added;
  return { v3, tokens: `${v3}/auth/tokens` };
}

/**
 * The same for an address from the environment or clouds.yaml. Without a version, or with that of
 * the older interface, the service is asked, as OpenStack's own library does; without an answer,
 * the rule of {@link parseAuthUrl} holds.
 *
 * @throws ERR_ADDRESS_INVALID
 */
export function parseSharedAuthUrl(text: string): AuthUrl {
  const asked = withoutSlash(text).replace(/\/v2\.0$/, "");
  const authUrl = parseAuthUrl(asked);
  return authUrl.v3 === asked ? authUrl : { ...authUrl, asked };
}

/** Whether an address is the same, or may be what the service answers to the question for it. */
export function mayBeAt({ v3, asked }: AuthUrl, other: string): boolean {
  return v3 === other || (asked !== undefined && other.startsWith(`${asked}/`));
}

function withoutSlash(text: unknown): string {
  const { origin, segments } = parseAddress(text, "no query");
  const path = [...segments];
  while (path.at(-1) === "") path.pop();
  return [origin, ...path].join("/");
}
