import { Token } from "cdktf";
import type { BaseUrl } from "../../tokens";
import { assertDestination, parseBaseUrl } from "../../tokens";
import { isCdkToken, isExpression } from "./expression";
import type { Mistakes } from "./mistakes";
import { quoted } from "./quoted";

/** The base address that restricts tokens, as far as the program knows it. */
export interface BaseUrlRule {
  /** For the block in Terraform; undefined without a base address, or with a wrong one. */
  readonly argument: string | undefined;
  /** For checks at synthesis. */
  readonly known: BaseUrl | undefined;
  /** Whether only Terraform knows it. */
  readonly isExpression: boolean;
}

/** The default: any address is allowed. */
export const UNRESTRICTED: BaseUrlRule = {
  argument: undefined,
  known: undefined,
  isExpression: false,
};

/** Checks the base address from the user, and its presence if it is required. */
export function checkBaseUrl(value: unknown, required: unknown, mistakes: Mistakes): BaseUrlRule {
  if (value === undefined) {
    if (required === true) mistakes.add("ERR_BASE_URL_MISSING", "baseUrl is not given.");
    return UNRESTRICTED;
  }
  if (isExpression(value))
    return { argument: value as string, known: undefined, isExpression: true };
  const known = mistakes.check(() => parseBaseUrl(value as string));
  return known === undefined
    ? UNRESTRICTED
    : { argument: value as string, known, isExpression: false };
}

/**
 * Checks a token's destinations. Those that only Terraform knows are passed on, and the provider
 * checks them.
 */
export function checkDestinations(value: unknown, rule: BaseUrlRule, mistakes: Mistakes): unknown {
  if (value === undefined || Token.isUnresolved(value)) return value;
  if (!Array.isArray(value)) {
    mistakes.add("ERR_PROP_INVALID", `destinations is ${quoted(value)}.`, {
      allowed: "a list of addresses",
    });
    return undefined;
  }
  const destinations = value as readonly unknown[];
  return destinations.filter(
    (destination) => isExpression(destination) || checkDestination(destination, rule, mistakes),
  );
}

/** Checks an address that the program knows. Returns whether it is allowed. */
export function checkDestination(
  value: unknown,
  { known }: BaseUrlRule,
  mistakes: Mistakes,
): boolean {
  if (isCdkToken(value)) {
    mistakes.add(
      "ERR_ADDRESS_INVALID",
      "An address is an element of a list that only Terraform knows.",
      {
        remedy:
          "Give one address with Fn.element(list, index), the whole list as it is, or combine lists with Fn.concat.",
      },
    );
    return false;
  }
  const before = mistakes.found.length;
  mistakes.check(() => assertDestination(value as string, known));
  return mistakes.found.length === before;
}
