import {
  type IResolvable,
  type IResolveContext,
  TerraformStack as Stack,
  type TerraformStack,
  Token,
} from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import { Brand } from "../../tokens/brand";
import type { TokenRecord } from "./registry";

const BRAND = new Brand<TokenReference>("TokenReference");

/**
 * A reference to a token's block, or to one of its attributes.
 *
 * Our own resolvable instead of cdktf's, for two reasons. It carries its token: the survey finds
 * every use by resolving the stack's elements. And in another stack, cdktf's would copy the token
 * through an output into the remote state of the token's stack.
 */
export class TokenReference implements IResolvable {
  static is(value: unknown): value is TokenReference {
    return BRAND.isOn(value);
  }

  readonly creationStack: string[] = [];

  /** @param attribute of the block, or undefined for the block as a whole */
  constructor(
    readonly record: TokenRecord,
    readonly stack: TerraformStack,
    readonly attribute: string | undefined,
  ) {
    BRAND.putOn(this);
  }

  resolve(context: IResolveContext): string {
    const user = Stack.of(context.scope);
    if (user !== this.stack) throw foreignUse(this.record.construct, user);
    const address = this.record.address(this.attribute);
    return context.suppressBraces ? address : `\${${address}}`;
  }

  toString(): string {
    return Token.asString(this);
  }

  toJSON(): string {
    return "<unresolved token reference>";
  }
}

/**
 * Error of a token that another stack uses. The token cannot go there: an ephemeral one is stored
 * nowhere, and any other would be in the states of both.
 */
function foreignUse(token: IConstruct, stack: TerraformStack): IamTokensError {
  // Stacks of two apps may well have the same name.
  const where = token.node.root === stack.node.root ? "the stack" : "a stack of another app,";
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in ${where} ${stack.node.path}. Its value would have to pass through a state.`,
    {
      remedy: `Use the result of its reopenIn(…) for the stack ${stack.node.path}: the same token, declared there.`,
    },
  );
}
