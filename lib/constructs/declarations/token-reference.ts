import {
  type IResolvable,
  type IResolveContext,
  TerraformStack as Stack,
  type TerraformStack,
  Token,
} from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import type { TokenRecord } from "./registry";

/** Null, alone and in an expression, where cdktf's own is nothing at all. */
export const NULL: IResolvable = {
  creationStack: [],
  resolve: ({ suppressBraces }) => (suppressBraces ? "null" : "${null}"),
  toString: () => Token.asString(NULL),
};

/**
 * A reference to a token's block, or to one of its attributes.
 *
 * Our own resolvable instead of cdktf's: in another stack, cdktf's would copy the token through an
 * output into the remote state of the token's stack.
 */
export class TokenReference implements IResolvable {
  readonly creationStack: string[] = [];

  /** @param attribute of the block, or undefined for the block as a whole */
  constructor(
    readonly record: TokenRecord,
    readonly stack: TerraformStack,
    readonly attribute: string | undefined,
    readonly key: string | undefined,
  ) {}

  resolve(context: IResolveContext): string {
    const user = Stack.of(context.scope);
    if (user !== this.stack) throw foreignUse(this.record.construct, user);
    return context.suppressBraces ? this.address : `\${${this.address}}`;
  }

  get address(): string {
    return this.record.address(this.attribute, this.key);
  }

  toString(): string {
    return Token.asString(this);
  }
}

/**
 * Error of a token that another stack uses. The token cannot go there: an ephemeral one is stored
 * nowhere, and any other would be in the states of both.
 */
function foreignUse(token: IConstruct, stack: TerraformStack): IamTokensError {
  // Stacks of two apps may well have the same name.
  const where = token.node.root === stack.node.root ? "the stack" : "a stack of another app,";
  const error = new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in ${where} ${stack.node.path}. Its value would have to pass through a state.`,
    {
      remedy: `Declare a token with the same properties in the stack ${stack.node.path}.`,
    },
  );
  // cdktf puts words before and after a message, one pair for each reference in the way: the code
  // would not be at its end.
  const { message } = error;
  return Object.defineProperty(error, "message", { get: () => message, set: () => {} });
}
