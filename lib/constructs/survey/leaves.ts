import { Token, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { MarkingResolver } from "../blocks/marking-resolver";
import type { TokenReference } from "../blocks/token-reference";

/**
 * A text in what an element gives to Terraform, as Terraform will read it; our references are
 * marked in it.
 */
export interface Leaf {
  readonly path: readonly string[];
  readonly text: string;
}

/** How cdktf writes its tokens into texts, keys and lists. */
const ENCODED = "TfToken[";

/**
 * Texts of Terraform's language in values, with their paths. The values are walked as they are, and
 * only what is a CDK token is resolved: nearly all of a stack is not, and resolving is what
 * synthesis spends its time on.
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

  /** The references that are marked in a text. */
  markedIn(text: string): TokenReference[] {
    return this.resolver.markedIn(text);
  }

  private visit(value: unknown, path: readonly string[], leaves: Leaf[]): void {
    // Deeper than anything that cdktf resolves: a circle, which cdktf refuses.
    if (path.length > 200) return;
    if (typeof value === "string") {
      if (value.includes(ENCODED)) this.resolve(value, path, leaves);
      else if (/[$%]\{/.test(value)) leaves.push({ path, text: value });
    } else if (typeof value === "number") {
      if (Token.isUnresolved(value)) this.resolve(value, path, leaves);
    } else if (typeof value === "object" && value !== null) {
      if (isEncoded(value)) this.resolve(value, path, leaves);
      else {
        for (const [name, inner] of Object.entries(value)) {
          // Comments, and the text that most of a stack is, are passed over before a path is made
          // for them.
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
 * Whether a list or an object is, or holds in its own keys or elements, what only resolving it as a
 * whole can read.
 */
function isEncoded(value: object): boolean {
  if (Tokenization.isResolvable(value)) return true;
  if (!Array.isArray(value)) return Object.keys(value).some((key) => key.includes(ENCODED));
  return (value as readonly unknown[]).some(
    (item) =>
      (typeof item === "string" && item.includes(ENCODED)) ||
      (typeof item === "number" && Token.isUnresolved(item)),
  );
}

/** The texts of a value that is resolved. */
function collect(value: unknown, path: readonly string[], leaves: Leaf[]): void {
  if (typeof value === "string") leaves.push({ path, text: value });
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (name.includes("${")) leaves.push({ path: [...path, name], text: name });
      collect(inner, [...path, name], leaves);
    }
  }
}
