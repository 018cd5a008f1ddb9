import { type TerraformElement, Tokenization } from "cdktf";
import { innerReferences, type Reference } from "../../hcl/inner-references";
import { isTable } from "../../hcl/json";
import { isSingleExpression } from "../../hcl/single-expression";
import { IamTokensError } from "../../tokens";
import { MarkingResolver } from "../declarations/marking-resolver";
import type { Finding, SecretRecord } from "../declarations/registry";
import { overridesOf } from "../framework/internals";
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
  const resolver = new MarkingResolver();
  const resolved = (value: unknown): unknown =>
    Tokenization.resolve(value, { scope: stack, resolver, preparing: false });
  const inTerraform = secrets.filter(
    ({ source: { from } }) => from === "terraform" || from === "variable",
  );
  // The walk over the elements is only for stacks that have such a secret.
  if (inTerraform.length === 0) return [];
  const fragments = [
    ...elements.map((element) => [element.node.path, element.toTerraform() as unknown] as const),
    [stack.node.path, overridesOf(stack)] as const,
  ];
  const [variables, locals] = ["variable", "locals"].map((top) => declaredIn(fragments, top));
  const isStored = ({ name }: Origin): boolean => {
    const declared = variables?.get(name);
    if (declared === undefined) return false;
    // The override of the stack is the last one, which wins.
    const given = declared.map(({ value }) => isTable(value) && resolved(value.ephemeral));
    const ephemeral = given.findLast((value) => value !== undefined);
    return !(overriddenEphemeral(stackFolder, name) ?? String(ephemeral) === "true");
  };
  return inTerraform.flatMap((secret) => {
    const { source, construct, property } = secret;
    const origins: readonly Origin[] =
      source.from === "variable"
        ? [{ name: source.name }]
        : source.from === "terraform"
          ? originsOf(resolved(source.expression), (name) =>
              (locals?.get(name) ?? []).map(({ value }) => resolved(value)),
            )
          : [];
    const stored = origins.find(isStored);
    if (stored === undefined) return [];
    const by = variables?.get(stored.name)?.[0]?.by ?? "";
    return [[construct, storedSecret(property, stored, by, source.from === "variable")]];
  });
}

function declaredIn(
  fragments: readonly (readonly [by: string, fragment: unknown])[],
  top: string,
): Declarations {
  const found = new Map<string, Declared[]>();
  for (const [by, fragment] of fragments) {
    const blocks = isTable(fragment) && fragment[top];
    for (const [name, value] of isTable(blocks) ? Object.entries(blocks) : [])
      found.set(name, [...(found.get(name) ?? []), { by, value }]);
  }
  return found;
}

/** The variables whose values can be in a value, or a part of it; local values are followed. */
function originsOf(
  value: unknown,
  localValues: (name: string) => readonly unknown[],
): readonly Origin[] {
  const origins: Origin[] = [];
  const followed = new Set<string>();
  const follow = (from: unknown, steps: Reference, local?: string): void => {
    if (typeof from === "string") {
      for (const reference of referencesIn(from)) visit(reference, local);
    } else if (typeof from === "object" && from !== null) {
      const [step, ...rest] = steps;
      if (step !== undefined && Object.hasOwn(from, step))
        follow(Reflect.get(from, step), rest, local);
      else for (const inner of Object.values(from)) follow(inner, [], local);
    }
  };
  const visit = ([kind, name, ...rest]: Reference, local?: string): void => {
    if (name === undefined) return;
    if (kind === "var") origins.push({ name, local });
    const key = [name, ...rest].join(".");
    if (kind !== "local" || followed.has(key)) return;
    followed.add(key);
    for (const each of localValues(name)) follow(each, rest, local ?? name);
  };
  follow(value, []);
  return origins;
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
  return new IamTokensError(
    "ERR_SECRET_IN_PLAN",
    `${property} comes from the variable ${name} (${by})${through}, which is not ephemeral: saved plans contain its value in clear text, even if it is sensitive.`,
    {
      remedy: isOurs
        ? `Remove that declaration: SecretRef.variable("${name}") declares an ephemeral variable. Or add ephemeral = true to it: variable.addOverride("ephemeral", true).`
        : `Use SecretRef.variable("${name}") instead of that declaration: it declares an ephemeral variable. Or add ephemeral = true to it: variable.addOverride("ephemeral", true).`,
    },
  );
}
