import { Token, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import {
  assertDestination,
  assertName,
  type BaseUrl,
  defined,
  type ErrorCode,
  IamTokensError,
  type IamTokensErrorDetails,
  isVariableName,
  parseBaseUrl,
  quote,
} from "../../tokens";
import { ENCODED_LIST_ITEM } from "../framework/internals";

/**
 * Whether Terraform, and not this program, knows the value: a CDK token, or a string that contains
 * `${…}` or `%{…}`.
 */
export function isExpression(value: unknown): boolean {
  if (typeof value === "string") return Token.isUnresolved(value) || /[$%]\{/.test(value);
  if (typeof value === "number") return Token.isUnresolved(value);
  return Tokenization.isResolvable(value);
}

/**
 * Whether it is, or contains, a CDK placeholder for a value that only Terraform knows. This
 * includes more than expressions: the item that stands for a list of unknown length is not an
 * expression if a string is expected.
 */
export function isCdkToken(value: unknown): boolean {
  return (
    Token.isUnresolved(value) || (typeof value === "string" && value.includes(ENCODED_LIST_ITEM))
  );
}

/**
 * A string or an expression unchanged, and nothing else: if cdktf cannot resolve a value, it fails
 * before any validation reports.
 */
export function emittable(value: unknown): unknown {
  return typeof value === "string" || isExpression(value) ? value : undefined;
}

/**
 * A value that is not secret, for a message: in quotes, shortened, without characters that a
 * terminal or a CI system interprets.
 */
export function quoted(value: unknown): string {
  // A CDK token means nothing to a reader: it is a number of this synthesis.
  if (isCdkToken(value)) return "a Terraform expression";
  if (typeof value !== "string") return value === null ? "null" : `a value of type ${typeof value}`;
  return quote(value);
}

/** Collects the mistakes in a value whose use reports them. */
export class Mistakes {
  readonly found: IamTokensError[] = [];

  add(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}): void {
    this.found.push(new IamTokensError(code, problem, details));
  }

  /** Runs a check, and either returns its result or collects the error that it throws. */
  check<T>(assertion: () => T): T | undefined {
    try {
      return assertion();
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      this.found.push(error);
      return undefined;
    }
  }

  get messages(): string[] {
    return this.found.map((mistake) => mistake.message);
  }
}

/** The mistakes of a construct: each is thrown at once, where the program declares it. */
export class Refusals extends Mistakes {
  constructor(private readonly construct: IConstruct) {
    super();
  }

  override add(code: ErrorCode, problem: string, details: IamTokensErrorDetails = {}): never {
    throw new IamTokensError(code, `[${this.construct.node.path}] ${problem}`, details);
  }

  override check<T>(assertion: () => T): T {
    try {
      return assertion();
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      const { code, problem, remedy, allowed } = error;
      return this.add(code, problem, { remedy, ...defined({ allowed }) });
    }
  }
}

/** A name, or a Terraform expression (which the provider checks). */
export function checkName(what: string, value: unknown, mistakes: Mistakes): void {
  if (!isExpression(value)) mistakes.check(() => assertName(what, value));
}

/** A path of a file, a Terraform expression, or nothing. */
export function checkPath(what: string, value: unknown, mistakes: Mistakes): string | undefined {
  if (value === undefined || isPath(value)) return value;
  mistakes.add("ERR_PROP_INVALID", `${what} is ${quoted(value)}.`, { allowed: PATH_ALLOWED });
  return undefined;
}

/** Valid paths, for messages. */
export const PATH_ALLOWED =
  "a path, absolute or relative to the folder in which the program is synthesized (C:file is neither) and without control characters (a ~ is not expanded)";

/**
 * Whether a value can be the path of a file. `~` has a meaning only in a shell: here it would be a
 * folder of that name. `C:file` is relative to a folder that Windows remembers for each drive, and
 * that may differ between processes.
 */
export function isPath(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value !== "" &&
    !/[\p{Cc}\p{Cs}]|^~(?:[\\/]|$)|^[a-z]:(?![\\/])/iu.test(value)
  );
}

/** A name of an environment variable; undefined for any other value. */
export function checkVariableName(
  where: string,
  value: unknown,
  mistakes: Mistakes,
): string | undefined {
  if (isVariableName(value)) return value;
  mistakes.add("ERR_NAME_INVALID", `${where} was given ${quoted(value)}.`, {
    allowed:
      "the name of an environment variable: letters, digits and _, not starting with a digit",
    remedy: "Give the name of the variable from which the command reads the token.",
  });
  return undefined;
}

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
