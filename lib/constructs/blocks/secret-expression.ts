import type { IResolvable, IResolveContext } from "cdktf";
import { Token } from "cdktf";
import { innerLiteral } from "../../hcl/inner-literal";
import { isSingleExpression } from "../../hcl/single-expression";

/**
 * What is wrong with a resolved text as the expression of a secret: no literal may stand in the
 * place of one, nor in it.
 */
export function wrongWithSecret(
  resolved: unknown,
): "no single expression" | { readonly literalIn: string } | undefined {
  if (typeof resolved !== "string" || !isSingleExpression(resolved)) return "no single expression";
  const literalIn = innerLiteral(resolved.slice(2, -1));
  return literalIn === undefined ? undefined : { literalIn };
}

/**
 * A secret that Terraform has. A lazy CDK token may turn out to be a literal, or to have one in it,
 * when it is resolved: that one is left out, so that it is in no file even where validations are
 * skipped (the validation then tells the user).
 */
export class SecretExpression implements IResolvable {
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
