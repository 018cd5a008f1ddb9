import type { TerraformStack } from "cdktf";
import type { TokenRecord } from "../constructs/declarations/registry";
import { resolvedIn } from "../constructs/framework/internals";
import { IamTokensError } from "../tokens";
import type { IssueJob, KnownArguments } from "./issuing";

type Given = Readonly<Record<string, unknown>>;

/** The job that gets a token. @throws ERR_RESOLUTION_UNKNOWN */
export function jobOf(
  { blockType, isInState, identity, arguments: block }: TokenRecord,
  stack: TerraformStack,
): IssueJob {
  // Paths are relative to the folder that the provider starts from here.
  const known = (argumentsOf: typeof block): KnownArguments =>
    knownArguments(
      knownSoFar(
        stack,
        argumentsOf((path) => path),
      ),
    );
  return {
    blockType,
    storedIn: isInState ? "state" : "memory",
    provider: identity === undefined ? {} : known(identity.arguments),
    block: known(block),
  };
}

/** CDK tokens as strings. One that cannot be resolved now counts as unknown, like an expression. */
function knownSoFar(scope: TerraformStack, given: Given): Given {
  try {
    return resolvedIn(scope, given) as Given;
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      "An argument cannot be resolved before synthesis.",
    );
  }
}

/**
 * Arguments in Terraform's syntax, with the values that Terraform would compute.
 *
 * @throws ERR_RESOLUTION_UNKNOWN for an expression: Terraform alone can evaluate it
 */
export function knownArguments(given: Given): KnownArguments {
  const known = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((each) => known(name, each));
    return typeof value === "string" ? literal(name, value) : value;
  };
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, known(name, value)]),
  );
}

/**
 * A string without templates; `$${` and `%%{` stand for the characters themselves in Terraform.
 */
function literal(name: string, text: string): string {
  const bare = text.replace(/\$\$\{|%%\{/g, "");
  if (/[$%]\{/.test(bare)) {
    throw new IamTokensError(
      "ERR_RESOLUTION_UNKNOWN",
      `${name} is a Terraform expression, but the token is resolved before synthesis.`,
    );
  }
  return text.replace(/([$%])\1\{/g, "$1{");
}
