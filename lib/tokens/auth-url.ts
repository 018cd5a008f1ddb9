import { parseAddress } from "./address";

/** The address of an identity service, checked and completed. */
export interface AuthUrl {
  /** The base that ends in `/v3`, without a slash after it. */
  readonly v3: string;
  /** Where tokens are issued: `…/v3/auth/tokens`. */
  readonly tokens: string;
  /** Whether the rule completed it because the service did not say its version. */
  readonly isGuess?: true;
  /** The other one of the two usual places at its origin, or the first. */
  readonly suggestedV3: string;
}

/** An address without a version: no credential has one, before its service is asked for v3. */
export interface UnresolvedUrl {
  readonly asked: string;
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
  const { origin } = new URL(given);
  // Not of a host: https://identity is one.
  const path = given.slice(origin.length);
  const added = /\/v3$/.test(path) ? "" : path.endsWith("/identity") ? "/v3" : "/identity/v3";
  const v3 = given + added;
  const usual = `${origin}/identity/v3`;
  return { v3, tokens: `${v3}/auth/tokens`, suggestedV3: v3 === usual ? `${origin}/v3` : usual };
}

/**
 * The same for an address from the environment or clouds.yaml. Without a version, or with that of
 * the older interface, its service is to be asked, as OpenStack's own library does.
 *
 * @throws ERR_ADDRESS_INVALID
 */
export function parseSharedAuthUrl(text: string): AuthUrl | UnresolvedUrl {
  const asked = withoutSlash(text).replace(/\/v2\.0$/, "");
  const authUrl = parseAuthUrl(asked);
  return authUrl.v3 === asked ? authUrl : { asked };
}

/** The address in messages. */
export const addressOf = (authUrl: AuthUrl | UnresolvedUrl): string =>
  "v3" in authUrl ? authUrl.v3 : authUrl.asked;

/** Whether two are one address; one without a version may have every path of its origin. */
export function mayBeSame(one: AuthUrl | UnresolvedUrl, other: AuthUrl | UnresolvedUrl): boolean {
  if ("v3" in one && "v3" in other) return one.v3 === other.v3;
  return new URL(addressOf(one)).origin === new URL(addressOf(other)).origin;
}

function withoutSlash(text: unknown): string {
  const { origin, segments } = parseAddress(text, "no query");
  const path = [...segments];
  while (path.at(-1) === "") path.pop();
  return [origin, ...path].join("/");
}
