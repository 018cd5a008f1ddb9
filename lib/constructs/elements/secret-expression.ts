import type { IResolvable, IResolveContext } from "cdktf";
import { Token } from "cdktf";
import { isSingleExpression } from "../checks/expression";

/**
 * A secret that Terraform has. A lazy CDK token may turn out to be a literal when it is resolved: that one is left out, so that
 * it is in no file even where validations are skipped (the validation then tells the user).
 */
export class SecretExpression implements IResolvable {
  readonly creationStack: string[] = [];

  constructor(private readonly expression: unknown) {}

  resolve(context: IResolveContext): string | undefined {
    const suppressed = context.suppressBraces;
    context.suppressBraces = false;
    const resolved: unknown = context.resolve(this.expression);
    if (suppressed !== undefined) context.suppressBraces = suppressed;
    return typeof resolved === "string" && isSingleExpression(resolved) ? resolved : undefined;
  }

  toString(): string {
    return Token.asString(this);
  }

  toJSON(): string {
    return "<unresolved secret>";
  }
}
