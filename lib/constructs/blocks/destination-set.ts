import { createHash } from "node:crypto";
import type { IResolvable, IResolveContext } from "cdktf";
import { DefaultTokenResolver, StringConcat, TerraformStack, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";

/**
 * The destinations of an object for addresses that only Terraform knows. Their expressions were
 * equal when they were declared, but a lazy one may resolve differently later. The block therefore
 * lists all of them, each once.
 */
export class DestinationSet implements IResolvable {
  readonly creationStack: string[] = [];
  private readonly destinations: unknown[] = [];

  add(destination: unknown): void {
    if (!this.destinations.includes(destination)) this.destinations.push(destination);
  }

  resolve(context: IResolveContext): unknown {
    const resolved = this.destinations.map(
      (destination) => context.resolve(destination) as unknown,
    );
    return [...new Set(resolved)];
  }

  toString(): string {
    return "(destinations)";
  }
}

/**
 * The id of the object for such an address: equal for equal expressions, and independent of other
 * declarations.
 */
export function destinationId(destination: unknown, scope: IConstruct): string {
  return `for-${createHash("sha256").update(textOf(destination, scope)).digest("hex").slice(0, 8)}`;
}

function textOf(destination: unknown, scope: IConstruct): string {
  try {
    const resolver = new DefaultTokenResolver(new StringConcat());
    const resolved: unknown = Tokenization.resolve(destination, {
      scope: TerraformStack.of(scope),
      resolver,
      preparing: false,
    });
    return JSON.stringify(resolved) ?? "";
  } catch {
    // A lazy value that cannot be resolved yet. All of these share an object, and all must be
    // allowed.
    return "";
  }
}
