import { type CtyObject, type CtyValue, UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { assertDestination, type BaseUrl, parseBaseUrl } from "../../tokens";
import { type Argument, isKnown, knownText, pathTo } from "../configuration/argument";
import { check, checkText } from "../configuration/diagnostics";
import { named } from "../wording";

/**
 * The mistakes in the `destinations` of a token: each must be an address and, if there is a base
 * address, be below it. Skips unknown values.
 *
 * @param base undefined if access is not restricted, or if the base address is not known here
 */
export function validateDestinations(config: CtyObject, base?: BaseUrl): readonly Diagnostic[] {
  return destinationsOf(config)
    .filter((destination) => destination !== UNKNOWN)
    .flatMap((destination) =>
      check(pathTo("destinations", config.destinations), () => assertOne(destination, base)),
    );
}

/** The mistake in a block's own `base_url`. */
export function validateBaseUrl(config: CtyObject): readonly Diagnostic[] {
  return checkText(config, "base_url", parseNamedBaseUrl);
}

/** A block's own `base_url`; undefined if it is missing, unknown or wrong. */
export function ownBaseUrl(config: CtyObject): BaseUrl | undefined {
  const text = knownText(config, "base_url");
  return text !== undefined && validateBaseUrl(config).length === 0
    ? parseBaseUrl(text)
    : undefined;
}

/**
 * Checks, before a secret is read, that a token is only for addresses below the block's base
 * address.
 *
 * @param baseUrl from a block that has been checked
 * @throws ERR_DESTINATION_REFUSED, ERR_ADDRESS_INVALID
 */
export function assertDestinations(config: CtyObject, baseUrl: Argument<string>): void {
  const base = isKnown(baseUrl) ? parseNamedBaseUrl(baseUrl) : undefined;
  for (const destination of destinationsOf(config)) assertOne(destination, base);
}

function parseNamedBaseUrl(text: string): BaseUrl {
  return named("base_url", () => parseBaseUrl(text));
}

function assertOne(destination: CtyValue, base: BaseUrl | undefined): void {
  // A value other than a string, such as null in HCL, is refused as such.
  named("destinations", () => assertDestination(destination as string, base));
}

function destinationsOf(config: CtyObject): readonly CtyValue[] {
  const value = config.destinations ?? null;
  return Array.isArray(value) ? (value as readonly CtyValue[]) : [];
}
