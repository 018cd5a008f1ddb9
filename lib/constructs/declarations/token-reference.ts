import {
  DefaultTokenResolver,
  type IPostProcessor,
  type IResolvable,
  type IResolveContext,
  TerraformStack as Stack,
  StringConcat,
  type TerraformStack,
  Token,
} from "cdktf";
import type { IConstruct } from "constructs";
import { Brand, IamTokensError } from "../../tokens";
import { programLine } from "../framework/program-line";
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
  /** Where it was made: cheap until somebody reads its stack. */
  private readonly made = new Error();

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
    if (user !== this.stack) throw foreignUse(this.record.construct, user, programLine(this.made));
    const text = marking?.mark(this) ?? this.address;
    return context.suppressBraces ? text : `\${${text}}`;
  }

  get address(): string {
    return this.record.address(this.attribute);
  }

  toString(): string {
    return Token.asString(this);
  }
}

/**
 * Error of a token that another stack uses. The token cannot go there: an ephemeral one is stored
 * nowhere, and any other would be in the states of both.
 */
function foreignUse(
  token: IConstruct,
  stack: TerraformStack,
  line: string | undefined,
): IamTokensError {
  // Stacks of two apps may well have the same name.
  const where = token.node.root === stack.node.root ? "the stack" : "a stack of another app,";
  const read = line === undefined ? "" : ` (read at ${line})`;
  const error = new IamTokensError(
    "ERR_OTHER_STACK",
    `The token ${token.node.path}${read} is used in ${where} ${stack.node.path}. Its value would have to pass through a state.`,
    {
      remedy: `Use the result of its reopenIn(…) for the stack ${stack.node.path}: the same token, declared there.`,
    },
  );
  // cdktf puts words before and after a message, one pair for each reference in the way: the code
  // would not be at its end.
  const { message } = error;
  return Object.defineProperty(error, "message", { get: () => message, set: () => {} });
}

/**
 * Mark in a string for one of our references. It looks like a reference, which checks of
 * expressions accept.
 */
const MARK = "cdktf_iam_tokens_use__.at";
const MARKS = /cdktf_iam_tokens_use__\.at(\d+)__/g;

/** Who gets marks in place of references at the moment. */
let marking: MarkingResolver | undefined;

/**
 * Resolves as cdktf does, but replaces our references with marks. The marks show which reference is
 * in which string, even for tokens of other stacks that have the same addresses.
 */
export class MarkingResolver extends DefaultTokenResolver {
  private readonly references: TokenReference[] = [];

  constructor() {
    super(new StringConcat());
  }

  override resolveToken(
    token: IResolvable,
    context: IResolveContext,
    postProcessor: IPostProcessor,
  ): unknown {
    if (!TokenReference.is(token)) return super.resolveToken(token, context, postProcessor);
    const mark = this.mark(token);
    return context.suppressBraces ? mark : `\${${mark}}`;
  }

  mark(reference: TokenReference): string {
    return `${MARK}${this.references.push(reference) - 1}__`;
  }

  /** Calls what resolves references by cdktf itself: it gets marks as well. */
  while<T>(write: () => T): T {
    const before = marking;
    marking = this;
    try {
      return write();
    } finally {
      marking = before;
    }
  }

  /** Whether a string contains marks; faster than {@link markedIn}. */
  areIn(text: string): boolean {
    return text.includes(MARK);
  }

  /** The references that are marked in a string. */
  markedIn(text: string): TokenReference[] {
    return [...text.matchAll(MARKS)].flatMap(([, index]) => this.references[Number(index)] ?? []);
  }

  /** A string with the references' addresses in place of their marks. */
  unmarked(text: string): string {
    if (!text.includes(MARK)) return text;
    return text.replace(MARKS, (mark, index) => this.references[Number(index)]?.address ?? mark);
  }
}
