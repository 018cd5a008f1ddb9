import { type TerraformElement, Tokenization } from "cdktf";
import { innerReferences, type Reference } from "../../hcl/inner-references";
import { member } from "../../hcl/json";
import { isSingleExpression } from "../../hcl/single-expression";
import { IamTokensError } from "../../tokens";
import { MarkingResolver } from "../declarations/marking-resolver";
import type { Finding, SecretRecord } from "../declarations/registry";
import { overridesOf } from "../framework/internals";
import type { SecretSource } from "../values/secret-ref";
import { type ModulePlace, overriddenEphemeral } from "./module-variable";

/** A declaration in the program. */
interface Declared {
  readonly by: string;
  readonly value: unknown;
}

/** What the program declares, by name: arguments of a variable, or a local value. */
type Declarations = ReadonlyMap<string, readonly Declared[]>;

/** A variable that a secret comes from. */
interface Origin {
  readonly name: string;
  /** The local value that leads there. */
  readonly local?: string | undefined;
}

/**
 * Errors of secrets that come from a variable of the program that is not ephemeral: Terraform
 * writes the values of all other variables into saved plans, even of those that are sensitive.
 * Variables that the program does not declare are left to Terraform.
 */
export function secretsInPlans(
  secrets: readonly SecretRecord[],
  elements: readonly TerraformElement[],
  { stack, stackFolder }: ModulePlace,
): Finding[] {
  const inTerraform = secrets.filter(({ source }) => expressionOf(source) !== undefined);
  // The walk over the elements is only for stacks that have such a secret.
  if (inTerraform.length === 0) return [];
  const resolver = new MarkingResolver();
  const resolved = (value: unknown): unknown =>
    Tokenization.resolve(value, { scope: stack, resolver });
  const fragments = [
    ...elements.map((element) => [element.node.path, element.toTerraform() as unknown] as const),
    [stack.node.path, overridesOf(stack)] as const,
  ];
  const variables = declaredIn(fragments, "variable");
  const locals = declaredIn(fragments, "locals");
  /** Where a variable is declared, if it is, and is not ephemeral. */
  const storedBy = (name: string): string | undefined => {
    const declared = variables.get(name) ?? [];
    // The override of the stack is the last one, which wins.
    const given = declared.map(({ value }) => resolved(member(value, "ephemeral")));
    const ephemeral = given.findLast((value) => value !== undefined);
    const isStored = !(overriddenEphemeral(stackFolder, name) ?? String(ephemeral) === "true");
    return isStored ? declared[0]?.by : undefined;
  };
  return inTerraform.flatMap(({ source, construct, property }): Finding[] => {
    const origins = originsOf(resolved(expressionOf(source)), (name) =>
      (locals.get(name) ?? []).map(({ value }) => resolved(value)),
    );
    for (const origin of origins) {
      const by = storedBy(origin.name);
      if (by !== undefined)
        return [[construct, storedSecret(property, origin, by, source.from === "variable")]];
    }
    return [];
  });
}

/** What Terraform evaluates for a secret; undefined if the provider reads it elsewhere. */
function expressionOf(source: SecretSource): unknown {
  if (source.from === "terraform") return source.expression;
  return source.from === "variable" ? `\${var.${source.name}}` : undefined;
}

function declaredIn(
  fragments: readonly (readonly [by: string, fragment: unknown])[],
  top: string,
): Declarations {
  const found = new Map<string, Declared[]>();
  for (const [by, fragment] of fragments)
    for (const [name, value] of Object.entries(member(fragment, top) ?? {}))
      found.set(name, [...(found.get(name) ?? []), { by, value }]);
  return found;
}

/** The variables whose values can be in a value, or a part of it; local values are followed. */
function originsOf(
  value: unknown,
  localValues: (name: string) => readonly unknown[],
): Generator<Origin> {
  const followed = new Set<string>();
  function* inValue(from: unknown, steps: readonly string[], local?: string): Generator<Origin> {
    if (typeof from === "string") {
      for (const reference of referencesIn(from)) yield* inReference(reference, local);
      return;
    }
    const [step, ...rest] = steps;
    const part = step === undefined ? undefined : partOf(from, step);
    if (part !== undefined) yield* inValue(part, rest, local);
    else for (const inner of Object.values(from ?? {})) yield* inValue(inner, [], local);
  }
  function* inReference(reference: Reference, local?: string): Generator<Origin> {
    const [kind, name = "", ...rest] = reference;
    if (kind === "var") yield { name, local };
    const address = reference.join(".");
    if (kind !== "local" || followed.has(address)) return;
    followed.add(address);
    for (const each of localValues(name)) yield* inValue(each, rest, local ?? name);
  }
  return inValue(value, []);
}

/** A member of a table, or an item of a list (`local.pair.0`). */
function partOf(value: unknown, step: string): unknown {
  return Array.isArray(value) ? value[Number(step)] : member(value, step);
}

/** In a text around expressions, any reference counts. */
function referencesIn(text: string): readonly Reference[] {
  if (isSingleExpression(text)) return innerReferences(text.slice(2, -1));
  if (!/[$%]\{/.test(text)) return [];
  return [...text.matchAll(/(?<![\w.-])(?:var|local)\.[\w-]+/g)].map(([name]) => name.split("."));
}

function storedSecret(
  property: string,
  { name, local }: Origin,
  by: string,
  isOurs: boolean,
): IamTokensError {
  const through = local === undefined ? "" : `, through the local value ${local}`;
  const ours = `SecretRef.variable("${name}")`;
  const replaced = isOurs
    ? `Remove that declaration: ${ours} declares`
    : `Use ${ours} instead of that declaration: it declares`;
  return new IamTokensError(
    "ERR_SECRET_IN_PLAN",
    `${property} comes from the variable ${name} (${by})${through}, which is not ephemeral: saved plans contain its value in clear text, even if it is sensitive.`,
    {
      remedy: `${replaced} an ephemeral variable. Or add ephemeral = true to it: variable.addOverride("ephemeral", true).`,
    },
  );
}
