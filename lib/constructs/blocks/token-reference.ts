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

const BRAND = Symbol.for("cdktf-iam-tokens/TokenReference");

/**
 * A reference to a token's block, or to one of its attributes.
 *
 * Our own resolvable and not cdktf's, for two reasons: it carries its token, so that every use can
 * be found by resolving the stack's elements; and used in another stack, cdktf's would copy the
 * token through an output into that stack's remote state.
 */
export class TokenReference implements IResolvable {
  /**
   * By a brand and not by instanceof: two copies of the package in one program see each other's
   * uses.
   */
  static is(value: unknown): value is TokenReference {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  readonly creationStack: string[] = [];

  /** @param attribute of the block, or undefined for the block as a whole */
  constructor(
    readonly record: TokenRecord,
    readonly stack: TerraformStack,
    readonly attribute: string | undefined,
  ) {
    Object.defineProperty(this, BRAND, { value: true });
  }

  resolve(context: IResolveContext): string {
    const user = Stack.of(context.scope);
    if (user !== this.stack) {
      // cdktf prepares all stacks before it validates any, so that the validations know of this.
      // What comes later (validations skipped, an aspect of a stack that is written last) must not
      // be written: the address is of no block in that stack.
      if (!context.preparing) throw foreignUse(this.record.construct, user);
      this.record.usedIn(user);
    }
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
 * A token that is used in another stack than its own. It cannot go there: an ephemeral one is
 * nowhere, and any other would stand in the states of both.
 *
 * @param users paths of what uses it there, as far as they are known
 */
export function foreignUse(
  token: IConstruct,
  stack: TerraformStack,
  users: readonly string[] = [],
): IamTokensError {
  const by = users.length === 0 ? "" : `, by ${users.join(", ")}`;
  // Stacks of two apps may well have the same name.
  const where = token.node.root === stack.node.root ? "another stack" : "a stack of another app";
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path} is used in ${where}, ${stack.node.path}${by}. Its value would have to go through a state.`,
    {
      remedy: `Use what its reopenIn(…) gives for the stack ${stack.node.path}: the same token, declared there.`,
    },
  );
}
