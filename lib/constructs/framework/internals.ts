import {
  type ISynthesisSession,
  type TerraformBackend,
  type TerraformElement,
  type TerraformStack,
  Tokenization,
} from "cdktf";
import type { IConstruct } from "constructs";
import { isTable, member } from "../../hcl/json";

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
 * The type of a backend, as `cloud`. The name is protected, and the class of another copy of cdktf
 * would not be known by instanceof.
 */
export function backendType(backend: TerraformBackend): unknown {
  return Reflect.get(backend, "name");
}

/** The elements of a stack, without those of stacks inside it. */
export function elementsOf(stack: TerraformStack): TerraformElement[] {
  const isIn = (each: Partial<TerraformElement>) => each.cdktfStack === stack;
  return stack.node.findAll().filter((each): each is TerraformElement => isIn(each));
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
 * Passes on what a stack is written from, as JSON or as HCL. Nothing else comes after all that can
 * still change it: a stack's own hook for its synthesis may be the program's.
 */
export function whenWritten(
  stack: TerraformStack,
  pass: (write: () => Fragment) => Fragment,
): void {
  for (const name of ["toTerraform", "toHclTerraform"] as const) {
    const write = stack[name].bind(stack) as () => Fragment;
    Object.defineProperty(stack, name, {
      configurable: true,
      writable: true,
      value: () => pass(write),
    });
  }
}

/** How the names of outputs begin that carry values to other stacks. */
export const TO_OTHER_STACKS = "cross-stack-output-";

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

/** The types of values that the HCL writer knows. */
const HCL_TYPES = {
  string: { type: "simple", storageClassType: "string" },
  boolean: { type: "simple", storageClassType: "boolean" },
  list: { type: "set", storageClassType: "stringList" },
  map: { type: "map", storageClassType: "stringMap" },
} as const;

/**
 * An argument for the HCL writer. Without a type it guesses, and writes a string of digits as a
 * number: an account number would lose its leading zeros.
 */
export function hclAttribute(value: unknown): Fragment {
  return { value, isBlock: false, ...HCL_TYPES[hclType(value)] };
}

function hclType(value: unknown): keyof typeof HCL_TYPES {
  if (Array.isArray(value)) return "list";
  if (isTable(value) && !Tokenization.isResolvable(value)) return "map";
  return typeof value === "boolean" ? "boolean" : "string";
}

/** A library that jsii has compiled, as cdktf and cdktn are. */
interface Library {
  readonly name: string;
  readonly version: string;
}

/**
 * jsii writes this on each class: the class's name with that of its library, and the library's
 * version.
 */
const RTTI = Symbol.for("jsii.rtti");

/**
 * The library of a class: of the class itself or of its nearest base class that jsii has compiled
 * for `names`; undefined if there is none.
 */
export function libraryOf(type: unknown, names: readonly string[]): Library | undefined {
  for (let each = type; typeof each === "function"; each = Object.getPrototypeOf(each)) {
    const its: unknown = Object.hasOwn(each, RTTI) ? Reflect.get(each, RTTI) : undefined;
    const [name = ""] = String(member(its, "fqn")).split(".");
    const version = member(its, "version");
    if (names.includes(name) && typeof version === "string") return { name, version };
  }
  return undefined;
}

/**
 * Whether the program is in another language than JavaScript: jsii's runtime names the language in
 * its environment.
 */
export function isInOtherLanguage(): boolean {
  return process.env.JSII_AGENT !== undefined;
}
