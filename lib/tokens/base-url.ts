import { type Address, parseAddress } from "./address";
import { IamTokensError } from "./error";

/**
 * Parses the base address of the product APIs: an address without a query.
 *
 * @throws ERR_ADDRESS_INVALID
 * @example parseBaseUrl("https://api.example.com")
 * @see docs/guard-rails.md
 */
export function parseBaseUrl(text: string): Address {
  return parseAddress(text, "no query");
}

/**
 * Checks an address for a token: {@link parseAddress} must accept it and, if there is a base
 * address, it must be below that. This means the same scheme, host and port, and a path that begins
 * with the base's path in whole segments: `/v1` covers `/v1` and `/v1/servers`, not `/v10`. A query
 * is allowed and ignored.
 *
 * @param base undefined if access is not restricted
 * @throws ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED
 * @example assertDestination("https://api.example.com/dns/v2",
 * parseBaseUrl("https://api.example.com"))
 * @see docs/guard-rails.md
 */
export function assertDestination(text: unknown, base: Address | undefined): void {
  const destination = parseAddress(text, "any query");
  if (base === undefined) return;
  const difference = differenceFrom(base, destination);
  if (difference === undefined) return;
  throw new IamTokensError(
    "ERR_DESTINATION_REFUSED",
    `${destination.display} is outside the base address ${base.display}: the ${difference} differs.`,
  );
}

function differenceFrom(
  base: Address,
  destination: Address,
): "scheme" | "host" | "port" | "path" | undefined {
  for (const part of ["scheme", "host", "port"] as const)
    if (base[part] !== destination[part]) return part;
  return base.segments.every((segment, index) => segment === destination.segments[index])
    ? undefined
    : "path";
}
