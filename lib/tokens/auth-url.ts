import { parseAddress } from "./address";

/** The address of an identity service, checked and completed. */
export interface AuthUrl {
  /** The base that ends in `/v3`, without a slash after it. */
  readonly v3: string;
  /** Where tokens are issued: `…/v3/auth/tokens`. */
  readonly tokens: string;
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
export function parseAuthUrl(text: string): AuthUrl {
  const { origin, segments } = parseAddress(text, "no query");
  const path = [...segments];
  while (path.at(-1) === "") path.pop();
  const last = path.at(-1);
  if (last !== "v3") path.push(...(last === "identity" ? ["v3"] : ["identity", "v3"]));
  const v3 = [origin, ...path].join("/");
  return { v3, tokens: `${v3}/auth/tokens` };
}
