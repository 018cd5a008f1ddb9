import {
  type IResolvable,
  type IResolveContext,
  TerraformStack as Stack,
  type TerraformStack,
  Token,
  Tokenization,
} from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import { wrongWithSecret } from "../props/expression";
import type { SecretSource } from "../values/secret-ref";
import type { BlockArguments } from "./block";
import { filePathFor } from "./file-path";
import { MarkingResolver } from "./marking-resolver";
import { TokenReference } from "./token-reference";

/** The arguments of a block that take a secret, by where it comes from. */
interface SecretArgumentNames {
  readonly env: string;
  readonly file: string;
  readonly value: string;
}

/** The one argument that a reference to a secret becomes. */
export function secretArguments(
  source: SecretSource | undefined,
  names: SecretArgumentNames,
  project: string,
  stackFolder: string,
): BlockArguments {
  switch (source?.from) {
    case "env":
      return { [names.env]: source.name };
    case "file":
      return { [names.file]: filePathFor(source.path, project, stackFolder) };
    case "terraform":
      return { [names.value]: new SecretExpression(source.expression) };
    default:
      return {};
  }
}

/**
 * What is wrong with a secret that Terraform has, which only resolving it tells: a lazy CDK token
 * that is a literal in the end, a literal in a function, or a value of another stack, which cdktf
 * would carry through that stack's state.
 */
export function secretMistakes(
  name: string,
  source: SecretSource | undefined,
  construct: IConstruct,
): string[] {
  if (source?.from !== "terraform") return [];
  const stack = Stack.of(construct);
  const resolver = new MarkingResolver();
  const resolved: unknown = Tokenization.resolve(source.expression, {
    scope: stack,
    resolver,
    preparing: false,
  });
  const mistakes: string[] = [];
  const wrong = wrongWithSecret(resolved);
  if (wrong === "no single expression") {
    mistakes.push(
      new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${name} is SecretRef.fromTerraform of more or less than one expression (not repeated here).`,
        { allowed: "exactly one Terraform expression, with no text around it" },
      ).message,
    );
  } else if (wrong !== undefined) {
    mistakes.push(
      new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${name} is SecretRef.fromTerraform of an expression with a literal that can become the secret, in ${wrong.literalIn} (not repeated here).`,
        {
          allowed:
            "literals that only choose among values: keys, what is compared with, separators, patterns, names of files",
          remedy:
            "Take the secret from references alone: where it may be missing, by a fallback to another variable, or by none. " +
            "If the literal was committed, replace it at the service.",
        },
      ).message,
    );
  }
  if (resolver.seen.some((token) => isOfOtherStack(token, stack))) {
    mistakes.push(
      new IamTokensError(
        "ERR_OTHER_STACK",
        `${name} is a value of another stack, which would stand in that stack's state.`,
        { remedy: "Refer to it in its own stack, or by SecretRef.env or SecretRef.file." },
      ).message,
    );
  }
  return mistakes;
}

/** References carry the stack that they come from. */
function isOfOtherStack(token: object, stack: TerraformStack): boolean {
  if (TokenReference.is(token)) return token.stack !== stack;
  const origin = (token as { readonly originStack?: unknown }).originStack;
  return origin !== undefined && origin !== stack;
}

/**
 * A secret that Terraform has. A lazy CDK token may turn out to be a literal, or to have one in it,
 * when it is resolved: that one is left out, so that it is in no file even where validations are
 * skipped (the validation then tells the user).
 */
class SecretExpression implements IResolvable {
  readonly creationStack: string[] = [];

  constructor(private readonly expression: unknown) {}

  resolve(context: IResolveContext): string | undefined {
    const suppressed = context.suppressBraces;
    context.suppressBraces = false;
    const resolved: unknown = context.resolve(this.expression);
    if (suppressed !== undefined) context.suppressBraces = suppressed;
    return wrongWithSecret(resolved) === undefined ? (resolved as string) : undefined;
  }

  toString(): string {
    return Token.asString(this);
  }

  toJSON(): string {
    return "<unresolved secret>";
  }
}
