import {
  type IResolvable,
  type IResolveContext,
  TerraformStack as Stack,
  type TerraformStack,
  Token,
  Tokenization,
} from "cdktf";
import type { IConstruct } from "constructs";
import { isSingleExpression } from "../../hcl/single-expression";
import { IamTokensError } from "../../tokens";
import type { SecretKind } from "../../tokens/ways";
import type { BlockArguments } from "../blocks/block";
import { filePathFor } from "../blocks/file-path";
import { MarkingResolver } from "../declarations/marking-resolver";
import { TokenReference } from "../declarations/token-reference";
import type { SecretSource } from "../values/secret-ref";

/** The arguments of a block for a secret, one for each kind of source that it can have. */
export type SecretArgumentNames = Readonly<Partial<Record<SecretKind, string>>>;

/** The one argument for a reference to a secret. */
export function secretArguments(
  source: SecretSource | undefined,
  names: SecretArgumentNames,
  project: string,
  stackFolder: string,
): BlockArguments {
  const given = (kind: SecretKind, value: unknown): BlockArguments => {
    const name = names[kind];
    return name === undefined ? {} : { [name]: value };
  };
  switch (source?.from) {
    case "env":
      return given("env", source.name);
    case "file":
      return given("file", filePathFor(source.path, project, stackFolder));
    case "command":
      return given("command", commandFor(source.command, project, stackFolder));
    case "audience":
      return given("audience", source.audience);
    case "terraform":
      return given("value", new SecretExpression(source.expression));
    case "variable":
      return given("value", `\${var.${source.name}}`);
    default:
      return {};
  }
}

/** A program with a relative path is in the project, as files are; one without comes from PATH. */
function commandFor(
  [program = "", ...args]: readonly string[],
  project: string,
  stackFolder: string,
): readonly string[] {
  const isPath = /[\\/]/.test(program);
  return [isPath ? filePathFor(program, project, stackFolder) : program, ...args];
}

/**
 * Error of a secret that Terraform holds, found by resolving it: a lazy CDK token that resolves to
 * a literal, or a value of another stack, which cdktf would carry through that stack's state.
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
  if (!isExpressionAlone(resolved)) {
    mistakes.push(
      new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${name} is SecretRef.fromTerraform with something other than one expression (not repeated here).`,
        { allowed: "exactly one Terraform expression, without text around it" },
      ).message,
    );
  }
  if (resolver.seen.some((token) => isOfOtherStack(token, stack))) {
    mistakes.push(
      new IamTokensError(
        "ERR_OTHER_STACK",
        `${name} is a value of another stack and would be stored in that stack's state.`,
        {
          remedy:
            "Refer to it in its own stack, or use SecretRef.env, SecretRef.file or SecretRef.variable.",
        },
      ).message,
    );
  }
  return mistakes;
}

const isExpressionAlone = (resolved: unknown): resolved is string =>
  typeof resolved === "string" && isSingleExpression(resolved);

/** References carry the stack that they come from. */
function isOfOtherStack(token: object, stack: TerraformStack): boolean {
  if (TokenReference.is(token)) return token.stack !== stack;
  const origin = (token as { readonly originStack?: unknown }).originStack;
  return origin !== undefined && origin !== stack;
}

/**
 * A secret that Terraform holds. A lazy CDK token may resolve to a literal, or to a string that
 * contains one. It is then left out, which keeps it out of all files even if validations are
 * skipped. (Otherwise the validation reports it.)
 */
class SecretExpression implements IResolvable {
  readonly creationStack: string[] = [];

  constructor(private readonly expression: unknown) {}

  resolve(context: IResolveContext): string | undefined {
    const suppressed = context.suppressBraces;
    context.suppressBraces = false;
    const resolved: unknown = context.resolve(this.expression);
    if (suppressed !== undefined) context.suppressBraces = suppressed;
    return isExpressionAlone(resolved) ? resolved : undefined;
  }

  toString(): string {
    return Token.asString(this);
  }

  toJSON(): string {
    return "<unresolved secret>";
  }
}
