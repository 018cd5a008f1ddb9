import { Token } from "cdktf";
import type { BaseUrl } from "../../tokens";
import { assertDestination, parseBaseUrl } from "../../tokens";
import { isCdkToken, isExpression } from "./expression";
import type { Mistakes } from "./mistakes";
import { checkFlag } from "./props";
import { shown } from "./shown";

/** The base address that tokens are restricted to, as far as the program knows it. */
export interface BaseUrlRule {
  /** For the block in Terraform; undefined when there is none, or a wrong one. */
  readonly argument: string | undefined;
  /** For checks when the program is synthesized. */
  readonly known: BaseUrl | undefined;
  /** Whether only Terraform knows it. */
  readonly isExpression: boolean;
}

/** Of whatever is no rule: any address may be. */
export const UNRESTRICTED: BaseUrlRule = {
  argument: undefined,
  known: undefined,
  isExpression: false,
};

/** The base address that a user gave, and whether one was to be given. */
export function checkBaseUrl(value: unknown, required: unknown, mistakes: Mistakes): BaseUrlRule {
  if (value === undefined) {
    if (checkFlag("requireBaseUrl", required, mistakes))
      mistakes.add("ERR_BASE_URL_MISSING", "baseUrl is not given.");
    return UNRESTRICTED;
  }
  checkFlag("requireBaseUrl", required, mistakes);
  if (isExpression(value))
    return { argument: value as string, known: undefined, isExpression: true };
  const known = mistakes.check(() => parseBaseUrl(value as string));
  return known === undefined
    ? UNRESTRICTED
    : { argument: value as string, known, isExpression: false };
}

/**
 * The destinations that a user gave a token; what Terraform alone knows is passed on, and checked
 * there.
 */
export function checkDestinations(value: unknown, rule: BaseUrlRule, mistakes: Mistakes): unknown {
  if (value === undefined || Token.isUnresolved(value)) return value;
  if (!Array.isArray(value)) {
    mistakes.add("ERR_PROP_INVALID", `destinations is ${shown(value)}.`, {
      allowed: "a list of addresses",
    });
    return undefined;
  }
  const destinations = value as readonly unknown[];
  return destinations.filter(
    (destination) => isExpression(destination) || checkDestination(destination, rule, mistakes),
  );
}

/** Checks an address that the program knows. Tells whether it may be. */
export function checkDestination(
  value: unknown,
  { known }: BaseUrlRule,
  mistakes: Mistakes,
): boolean {
  if (isCdkToken(value)) {
    mistakes.add(
      "ERR_ADDRESS_INVALID",
      "An address is taken out of a list that only Terraform knows.",
      {
        remedy:
          "Give one address of it by Fn.element(list, index), the whole list as it is, or with others by Fn.concat.",
      },
    );
    return false;
  }
  const before = mistakes.found.length;
  mistakes.check(() => assertDestination(value as string, known));
  return mistakes.found.length === before;
}
