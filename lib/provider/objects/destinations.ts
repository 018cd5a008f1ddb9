import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { assertDestination, parseBaseUrl } from "../../tokens";
import { knownText } from "../configuration/argument";
import { pathTo } from "../configuration/argument-path";
import { check, checkText } from "../configuration/block-checks";
import { named } from "../wording";

/**
 * The mistakes in the `destinations` of a token: each must be an address and, if there is a
 * `base_url` that is known and right, be below it. Skips unknown values.
 */
export function validateDestinations(config: CtyObject): readonly Diagnostic[] {
  const { destinations } = config;
  if (!Array.isArray(destinations)) return [];
  const given = knownText(config, "base_url");
  const base =
    given !== undefined && validateBaseUrl(config).length === 0 ? parseBaseUrl(given) : undefined;
  return destinations
    .filter((destination) => destination !== UNKNOWN)
    .flatMap((destination) =>
      check(pathTo("destinations", destinations), () =>
        named("destinations", () => assertDestination(destination, base)),
      ),
    );
}

/** The mistake in a block's own `base_url`. */
export function validateBaseUrl(config: CtyObject): readonly Diagnostic[] {
  return checkText(config, "base_url", (text, name) => named(name, () => parseBaseUrl(text)));
}
