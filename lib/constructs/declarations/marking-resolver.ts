import type { IPostProcessor, IResolvable, IResolveContext } from "cdktf";
import { DefaultTokenResolver, StringConcat } from "cdktf";
import { TokenReference } from "./token-reference";

/**
 * Mark in a string for one of our references. It looks like a reference, which checks of
 * expressions accept.
 */
const MARK = "cdktf_iam_tokens_use__.at";
const MARKS = /cdktf_iam_tokens_use__\.at(\d+)__/g;

/**
 * Resolves as cdktf does, but replaces our references with marks. The marks show which reference is
 * in which string, even for tokens of other stacks that have the same addresses.
 */
export class MarkingResolver extends DefaultTokenResolver {
  /** All tokens of cdktf that were resolved, ours among them. */
  readonly seen: IResolvable[] = [];
  private readonly references: TokenReference[] = [];

  constructor() {
    super(new StringConcat());
  }

  override resolveToken(
    token: IResolvable,
    context: IResolveContext,
    postProcessor: IPostProcessor,
  ): unknown {
    this.seen.push(token);
    if (!TokenReference.is(token)) return super.resolveToken(token, context, postProcessor);
    const mark = `${MARK}${this.references.push(token) - 1}__`;
    return context.suppressBraces ? mark : `\${${mark}}`;
  }

  /** The references that are marked in a string. */
  markedIn(text: string): TokenReference[] {
    if (!text.includes(MARK)) return [];
    return [...text.matchAll(MARKS)].flatMap(([, index]) => this.references[Number(index)] ?? []);
  }
}
