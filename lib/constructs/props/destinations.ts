import { Token } from "cdktf";
import type { BaseUrl } from "../../tokens";
import { assertDestination, IamTokensError, parseBaseUrl } from "../../tokens";
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

const LIST_ITEM = "An address is an element of a list that only Terraform knows.";
const FROM_LIST = {
  remedy:
    "Give one address with Fn.element(list, index), the whole list as it is, or combine lists with Fn.concat.",
};

/** cdktf's stand-in for an item of a list that only Terraform knows: no expression for a string. */
const isListItem = (value: unknown): boolean => isCdkToken(value) && !isExpression(value);

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
  for (const each of destinations) {
    if (isListItem(each)) mistakes.add("ERR_ADDRESS_INVALID", LIST_ITEM, FROM_LIST);
    else if (!isExpression(each))
      mistakes.check(() => assertDestination(each as string, rule.known));
  }
  return destinations;
}

/** Checks an address that the program must know. */
export function assertKnownDestination(value: unknown, { known, isExpression: late }: BaseUrlRule) {
  if (isListItem(value)) throw new IamTokensError("ERR_ADDRESS_INVALID", LIST_ITEM, FROM_LIST);
  if (late || isExpression(value))
    throw new IamTokensError(
      "ERR_ADDRESS_INVALID",
      `${late ? "The base address" : "The address"} is a Terraform expression, which synthesis cannot check.`,
      {
        remedy:
          "Give destinations: [address] to the token, and use its headers or value: the provider checks the address.",
      },
    );
  assertDestination(value as string, known);
}
