import {
  AnnotationMetadataEntryType,
  DefaultTokenResolver,
  dependable,
  type ISynthesisSession,
  type ITerraformDependable,
  type ITerraformIterator,
  type StackAnnotation,
  StringConcat,
  type TerraformElement,
  type TerraformProvider,
  type TerraformStack,
  Tokenization,
} from "cdktf";
import { deepMerge, snakeCase } from "cdktf/lib/util";
import type { IConstruct } from "constructs";
import { isTable, member, tablesAt } from "../../hcl/json";

// Undocumented parts of cdktf and cdktn that this package uses; no other file in lib uses any.
// test/constructs/framework/internals.test.ts names those that a new version lacks.

/** A fragment of a stack's configuration, as cdktf merges them. */
export type Fragment = Record<string, unknown>;

/** The overrides of a stack or of an element: there is no public way to read them. */
export function overridesOf(construct: IConstruct): Fragment {
  const overrides: unknown = Reflect.get(construct, "rawOverrides");
  return isTable(overrides) ? overrides : {};
}

/**
 * An expression that is known as soon as something is there: the id of a resource. Undefined for
 * what has none, such as a module. To be called when the stack is written.
 */
export function idOf(awaited: ITerraformDependable, stack: TerraformStack): string | undefined {
  const address = String(resolvedIn(stack, dependable(awaited)));
  if (/^(?:data|ephemeral|module|var|local)\./.test(address)) return undefined;
  if (Reflect.get(awaited, "forEach")) return `\${join(",", values(${address})[*].id)}`;
  return Reflect.get(awaited, "count") ? `\${join(",", ${address}[*].id)}` : `\${${address}.id}`;
}

/** What a block has as `for_each`, for an iterator. */
export function forEachOf(iterator: ITerraformIterator): unknown {
  const expression: unknown = Reflect.get(iterator, "_getForEachExpression");
  return typeof expression === "function" ? expression.call(iterator) : undefined;
}

/** The elements of a stack, without those of stacks inside it. */
export function elementsOf(stack: TerraformStack): TerraformElement[] {
  const isIn = (each: Partial<TerraformElement>) => each.cdktfStack === stack;
  return stack.node.findAll().filter((each): each is TerraformElement => isIn(each));
}

/** The name of the framework that a class, or the one above it, comes from: cdktf and cdktn take either's. */
export function frameworkOf(type: object): string {
  const rtti: unknown = Reflect.get(type, Symbol.for("jsii.rtti"));
  return String(member(rtti, "fqn")).replace(/\..*/, "");
}

/**
 * Calls a construct when its stack is written: after all validations, and before `cdk.tf.json`
 * exists.
 */
export function onSynthesis(
  construct: IConstruct,
  write: (session: ISynthesisSession) => void,
): void {
  Object.defineProperty(construct, Symbol.for("cdktf/customSynthesis"), {
    value: { onSynthesize: write },
  });
}

/**
 * Passes on what a stack is written from. Nothing else comes after all that can still change it: a
 * stack's own hook for its synthesis may be the program's.
 *
 * @param asHcl instead of writing the stack as HCL
 */
export function whenWritten(
  stack: TerraformStack,
  pass: (write: () => Fragment) => Fragment,
  asHcl: () => never,
): void {
  const write = stack.toTerraform.bind(stack) as () => Fragment;
  instead(stack, "toTerraform", () => pass(write));
  instead(stack, "toHclTerraform", asHcl);
}

/** Puts a method of one construct in place of its class's. */
function instead(construct: object, name: string, value: () => unknown): void {
  Object.defineProperty(construct, name, { configurable: true, writable: true, value });
}

/**
 * Changes the block of a provider whenever it is written, by the first change that is given.
 *
 * @param change gets the block, and the properties that it is made from
 */
export function changeBlock(
  provider: TerraformProvider,
  change: (block: unknown, properties: unknown) => void,
): void {
  const own = Object.getOwnPropertyDescriptor(provider, "toTerraform");
  // In another language, a program may have a method of its own, which jsii fixes.
  if (own !== undefined) return;
  const write = provider.toTerraform.bind(provider);
  instead(provider, "toTerraform", () => {
    const fragment: unknown = write();
    const blocks = tablesAt(fragment, "provider", provider.terraformResourceType);
    for (const block of blocks) change(block, propertiesOf(provider));
    return fragment;
  });
}

/** The properties of a provider, resolved, with the names that the program gives. */
export function propertiesOf(provider: TerraformProvider): unknown {
  const synthesize: unknown = Reflect.get(provider, "synthesizeAttributes");
  const given: unknown = typeof synthesize === "function" ? synthesize.call(provider) : {};
  return resolvedIn(provider.cdktfStack, given);
}

/** The name that cdktf writes in place of one in a provider's block. */
export const writtenName: (name: string) => string = snakeCase;

/** A block with its overrides, merged as cdktf merges those of its own. */
export function merged(block: Fragment, overrides: Fragment): Fragment {
  // Its lists and maps are the program's own.
  const copies = Object.entries(block).map(([name, value]) => {
    if (Array.isArray(value)) return [name, [...value]];
    return [name, isTable(value) && !Tokenization.isResolvable(value) ? { ...value } : value];
  });
  return deepMerge(Object.fromEntries(copies), overrides) as Fragment;
}

/** Resolves as cdktf does when it writes a stack. */
export const resolvedIn = (scope: TerraformStack, value: unknown): unknown =>
  Tokenization.resolve(value, { scope, resolver: new DefaultTokenResolver(new StringConcat()) });

/** Adds the warnings that a stack got while it was written: cdktf has collected them before. */
export function addWarnings(collected: StackAnnotation[], stack: TerraformStack): void {
  for (const { node } of stack.node.findAll())
    for (const { type, data } of node.metadata) {
      const warning = { constructPath: node.path, level: type, message: data } as StackAnnotation;
      if (
        type === AnnotationMetadataEntryType.WARN &&
        !collected.some((each) => each.constructPath === node.path && each.message === data)
      )
        collected.push(warning);
    }
}

/** How the names of data sources begin that read values of other stacks. */
export const FROM_OTHER_STACK = "cross-stack-reference-input-";

/** The form of tokens in strings, keys and lists. */
export const ENCODED_TOKEN = "TfToken[";

/**
 * What a string contains that is not known before Terraform runs: a template, or the form of a
 * token in a string or in a list.
 */
export const EXPRESSION = /[$%]\{|#\{TfToken\[/;

/** The start of a Terraform template in a string, as opposed to that of a token. */
export const TEMPLATE_OPENINGS = /[$%]\{(?!TfToken\[)/g;

/**
 * Whether the command line started this program: only then does an app get a context in this way.
 */
export function isUnderCommandLine(): boolean {
  return process.env.CDKTF_CONTEXT_JSON !== undefined;
}
