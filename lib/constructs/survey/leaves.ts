import { Token, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { MarkingResolver } from "../declarations/marking-resolver";
import type { TokenReference } from "../declarations/token-reference";
import { ENCODED_TOKEN } from "../framework/internals";

/**
 * A string that an element gives to Terraform, with marks for our references.
 */
export interface Leaf {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Strings of Terraform's language in values, with their paths. Only CDK tokens are resolved: nearly
 * all of a stack consists of other values, and synthesis spends its time on resolving.
 */
export class LeafReader {
  private readonly resolver = new MarkingResolver();

  /** @param scope the stack in which the values are to be resolved */
  constructor(private readonly scope: IConstruct) {}

  read(value: unknown): Leaf[] {
    const leaves: Leaf[] = [];
    this.visit(value, [], leaves);
    return leaves;
  }

  /** The references that are marked in a string. */
  markedIn(text: string): TokenReference[] {
    return this.resolver.markedIn(text);
  }

  private visit(value: unknown, path: readonly string[], leaves: Leaf[]): void {
    // Deeper than anything that cdktf resolves: a cycle, which cdktf refuses.
    if (path.length > 200) return;
    if (typeof value === "string") {
      if (value.includes(ENCODED_TOKEN)) this.resolve(value, path, leaves);
      else if (/[$%]\{/.test(value)) leaves.push({ path, text: value });
    } else if (typeof value === "number") {
      if (Token.isUnresolved(value)) this.resolve(value, path, leaves);
    } else if (typeof value === "object" && value !== null) {
      if (isEncoded(value)) this.resolve(value, path, leaves);
      else {
        for (const [name, inner] of Object.entries(value)) {
          // Comments, and the strings that make up most of a stack, are skipped before a path is
          // built for them.
          if (
            name !== "//" &&
            (typeof inner === "string" ? inner.includes("{") : inner !== undefined)
          )
            this.visit(inner, [...path, name], leaves);
        }
      }
    }
  }

  private resolve(value: unknown, path: readonly string[], leaves: Leaf[]): void {
    const { scope, resolver } = this;
    collect(Tokenization.resolve(value, { scope, resolver, preparing: false }), path, leaves);
  }
}

/**
 * Whether a list or an object is, or contains in its own keys or elements, a value that can only be
 * read by resolving the whole.
 */
function isEncoded(value: object): boolean {
  if (Tokenization.isResolvable(value)) return true;
  if (!Array.isArray(value)) return Object.keys(value).some((key) => key.includes(ENCODED_TOKEN));
  return value.some((item) => typeof item === "string" && item.includes(ENCODED_TOKEN));
}

/** The strings in a resolved value. */
function collect(value: unknown, path: readonly string[], leaves: Leaf[]): void {
  if (typeof value === "string") leaves.push({ path, text: value });
  else {
    for (const [name, inner] of Object.entries(value ?? {})) {
      if (name.includes("${")) leaves.push({ path: [...path, name], text: name });
      collect(inner, [...path, name], leaves);
    }
  }
}
