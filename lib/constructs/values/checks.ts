import { Token } from "cdktf";
import type { IConstruct } from "constructs";
import { assertDestination, IamTokensError, parseBaseUrl, quote, words } from "../../tokens";
import { ENCODED_TOKEN, EXPRESSION } from "../framework/internals";

/**
 * Whether Terraform, and not this program, knows the value: a CDK token, or a string that contains
 * one, `${…}` or `%{…}`.
 */
export function isExpression(value: unknown): boolean {
  return typeof value === "string" ? EXPRESSION.test(value) : Token.isUnresolved(value);
}

/** A value that is not secret, for a message: a string in quotes, of all else its type. */
export function received(value: unknown): string {
  // A CDK token means nothing to a reader: it is a number of this synthesis.
  if (typeof value === "string" && !value.includes(ENCODED_TOKEN)) return quote(value);
  if (isExpression(value))
    return Array.isArray(value) ? "a list that only Terraform knows" : "a Terraform expression";
  if (value === null || value === undefined) return String(value);
  // Of an object, what it is: a Promise was not awaited.
  return `a value of type ${Object.prototype.toString.call(value).slice(8, -1).toLowerCase()}`;
}

/** Runs a check for a construct: what it throws begins with the construct's path. */
export function withPath<T>(construct: IConstruct, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    throw error.with({ fact: words`[${construct.node.path}] ${error.parts.fact}` });
  }
}

/** Checks an address that the program must know. */
export function assertKnownDestination(url: string, baseUrl: string | undefined): void {
  for (const [what, given] of Object.entries({ "The base address": baseUrl, "The address": url }))
    if (isExpression(given))
      throw new IamTokensError(
        "ERR_ADDRESS_INVALID",
        `${what} is a Terraform expression, which synthesis cannot check.`,
        {
          remedy:
            "Give destinations: [address] to the token, and use its headers or value: the provider checks the address.",
        },
      );
  if (typeof url !== "string")
    throw new IamTokensError("ERR_ADDRESS_INVALID", `The address is ${received(url)}.`);
  assertDestination(url, baseUrl === undefined ? undefined : parseBaseUrl(baseUrl));
}
