import type { IPostProcessor, IResolvable, IResolveContext } from "cdktf";
import {
  DefaultTokenResolver,
  StringConcat,
  TerraformElement,
  TerraformOutput,
  TerraformResource,
  TerraformStack,
  Tokenization,
} from "cdktf";
import type { IConstruct } from "constructs";
import { TokenReference } from "../elements/token-reference";

/** One place at which a token is used. */
export interface Use {
  readonly reference: TokenReference;
  readonly user: IConstruct;
  /** Whether a new value there is a change that a plan shows: an argument of a resource, or an output. */
  readonly planned: boolean;
}

/** What a resource has beside its arguments: new values there change nothing in a plan. */
const META: ReadonlySet<string> = new Set(["connection", "depends_on", "lifecycle", "provider", "provisioner"]);

/** All uses of tokens in a stack: every element is resolved once, with a resolver that takes note of our references. */
export function usesIn(stack: TerraformStack): Use[] {
  const uses: Use[] = [];
  for (const element of elementsOf(stack)) {
    for (const [value, planned] of parts(element)) {
      for (const reference of referencesIn(value, stack)) uses.push({ reference, user: element, planned });
    }
  }
  const overrides = (stack as unknown as { readonly rawOverrides?: unknown }).rawOverrides;
  for (const reference of referencesIn(overrides, stack)) uses.push({ reference, user: stack, planned: false });
  return uses;
}

/** The elements of a stack, without those of stacks inside it. */
export function elementsOf(stack: TerraformStack): TerraformElement[] {
  const elements: TerraformElement[] = [];
  const visit = (node: IConstruct): void => {
    if (TerraformElement.isTerraformElement(node)) elements.push(node);
    for (const child of node.node.children) if (!TerraformStack.isStack(child)) visit(child);
  };
  visit(stack);
  return elements;
}

/** Our references in a value, in the order in which they are resolved. */
export function referencesIn(value: unknown, scope: IConstruct): readonly TokenReference[] {
  return resolvablesIn(value, scope).seen.filter((token) => TokenReference.is(token));
}

/** All resolvables in a value. */
export function resolvablesIn(
  value: unknown,
  scope: IConstruct,
): { readonly resolved: unknown; readonly seen: readonly IResolvable[] } {
  const resolver = new RecordingResolver();
  const resolved: unknown = Tokenization.resolve(value, { scope, resolver, preparing: false });
  return { resolved, seen: resolver.seen };
}

class RecordingResolver extends DefaultTokenResolver {
  readonly seen: IResolvable[] = [];

  constructor() {
    super(new StringConcat());
  }

  override resolveToken(token: IResolvable, context: IResolveContext, postProcessor: IPostProcessor): unknown {
    this.seen.push(token);
    return super.resolveToken(token, context, postProcessor);
  }
}

/** What an element gives to Terraform, cut into parts that count as planned and parts that do not. */
function parts(element: TerraformElement): [value: unknown, planned: boolean][] {
  const fragment = element.toTerraform() as unknown;
  if (TerraformResource.isTerraformResource(element)) {
    return bodies(fragment, "resource", 2).flatMap((body) =>
      Object.entries(body).map(([name, value]): [unknown, boolean] => [value, !META.has(name)]),
    );
  }
  if (TerraformOutput.isTerraformOutput(element)) {
    return bodies(fragment, "output", 1).flatMap((body) =>
      Object.entries(body).map(([name, value]): [unknown, boolean] => [value, name === "value"]),
    );
  }
  return [[fragment, false]];
}

/** The block bodies below a key of a fragment: `{resource: {TYPE: {NAME: body}}}` has them two levels down. */
function bodies(fragment: unknown, key: string, depth: number): Readonly<Record<string, unknown>>[] {
  let level: unknown[] = [isRecord(fragment) ? fragment[key] : undefined];
  for (let step = 0; step < depth; step++) level = level.flatMap((item) => (isRecord(item) ? Object.values(item) : []));
  return level.filter(isRecord);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
