import type { ApiAddress } from "./api-address";
import { parseApiAddress } from "./api-address";
import { IamTokensError } from "./error";

/** The base address of the product APIs: what tokens may be restricted to. */
export interface BaseUrl {
  readonly address: ApiAddress;
}

/**
 * Parses the base address of the product APIs: an address without a query.
 *
 * @throws ERR_ADDRESS_INVALID
 * @example parseBaseUrl("https://api.example.com")
 * @see spec, "What the service does", 3
 */
export function parseBaseUrl(text: string): BaseUrl {
  const address = parseApiAddress(text);
  if (!address.hasQuery) return { address };
  throw new IamTokensError(
    "ERR_ADDRESS_INVALID",
    `The base address ${address.shown} has a query.`,
    {
      allowed: "scheme, host, port and path",
      remedy: "Leave the query out.",
    },
  );
}

/**
 * Checks an address that a token is for: one that {@link parseApiAddress} takes and, where there is
 * a base address, that falls under it. Scheme, host and port are the same, and the path begins with
 * the base's path, in whole segments: `/v1` covers `/v1` and `/v1/servers`, not `/v10`. A query is
 * allowed, and makes no difference.
 *
 * @param base undefined when access is not restricted
 * @throws ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED
 * @example assertDestination("https://api.example.com/dns/v2",
 * parseBaseUrl("https://api.example.com"))
 * @see spec, "Authentication", 7
 */
export function assertDestination(text: string, base: BaseUrl | undefined): void {
  const destination = parseApiAddress(text);
  const difference = base === undefined ? undefined : differenceFrom(base.address, destination);
  if (base === undefined || difference === undefined) return;
  throw new IamTokensError(
    "ERR_DESTINATION_REFUSED",
    `${destination.shown} does not fall under the base address ${base.address.shown}: the ${difference} differs.`,
  );
}

function differenceFrom(
  base: ApiAddress,
  destination: ApiAddress,
): "scheme" | "host" | "port" | "path" | undefined {
  for (const part of ["scheme", "host", "port"] as const)
    if (base[part] !== destination[part]) return part;
  return base.segments.every((segment, index) => segment === destination.segments[index])
    ? undefined
    : "path";
}
