import { type TerraformStack, Tokenization } from "cdktf";
import type { IConstruct } from "constructs";
import { member, tablesIn } from "../../hcl/json";
import { IAM_STATIC_TOKEN, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import { PARTS, SECRET_ARGUMENTS } from "../../tokens/ways";
import { referencesIn, SecretExpression } from "../credentials/secret-arguments";
import type { Finding } from "../declarations/registry";
import { MarkingResolver, TokenReference } from "../declarations/token-reference";
import type { Part } from "./uses";

/** All declarations of a variable in the program, which cdktf merges. */
interface DeclaredVariable {
  readonly by: string;
  readonly blocks: unknown[];
}

/** An argument that holds the value of a secret, as a part of the configuration gives it. */
interface GivenSecret {
  readonly construct: IConstruct;
  /** The property of the construct, for messages. */
  readonly property: string;
  readonly value: unknown;
}

/**
 * Errors of secrets that Terraform would evaluate. Each argument of ours that holds the value of a
 * secret is looked at in every part of the configuration, overrides included: it must be one
 * expression of this stack, without local values, and its variables must be ephemeral ones that the
 * program declares without a default. All else would be in `cdk.tf.json`, in saved plans or in the
 * state of another stack.
 */
export function secretFindings(
  stack: TerraformStack,
  parts: readonly Part[],
  declared: ReadonlySet<IConstruct>,
): Finding[] {
  const given = parts.flatMap((part) => secretsIn(part, stack, declared));
  if (given.length === 0) return [];
  const resolved = (value: unknown, resolver = new MarkingResolver()): unknown =>
    Tokenization.resolve(value, { scope: stack, resolver, preparing: false });
  const variables = variablesIn(parts);
  return given.flatMap(({ construct, property, value }): Finding[] => {
    const resolver = new MarkingResolver();
    const source = value instanceof SecretExpression ? value.expression : value;
    const text = resolved(source, resolver);
    if (text === undefined || text === null) return [];
    const isForeign = resolver.seen.some((token) => isOfOtherStack(token, stack));
    const mistake = isForeign
      ? otherStack(property)
      : mistakeIn(text, property, (name) => {
          const variable = variables.get(name);
          return (
            variable && {
              by: variable.by,
              ephemeral: variable.blocks
                .map((block) => resolved(member(block, "ephemeral")))
                .filter((each) => each !== undefined),
              hasDefault: variable.blocks.some(
                (block) => resolved(member(block, "default")) !== undefined,
              ),
            }
          );
        });
    return mistake === undefined ? [] : [[construct, mistake.message]];
  });
}

/** The secrets in the blocks of our provider, and in those of static tokens. */
function secretsIn(
  { user, fragment }: Part,
  stack: TerraformStack,
  declared: ReadonlySet<IConstruct>,
): GivenSecret[] {
  const { scope } = user.node;
  const owner = scope !== undefined && declared.has(scope) ? scope : undefined;
  const construct = owner ?? stack;
  const found: GivenSecret[] = [];
  const look = (block: unknown, argument: string, property: string): void => {
    const value = member(block, argument);
    if (value === undefined) return;
    const name = owner === undefined ? `${property} (in a part of ${user.node.path})` : property;
    found.push({ construct, property: name, value });
  };
  // An override addresses the blocks of the list by their indices.
  for (const provider of tablesIn(member(fragment, "provider")))
    for (const block of allTablesIn(provider[PROVIDER_TYPE]))
      for (const argument of Object.keys(SECRET_ARGUMENTS))
        look(block, argument, PARTS.find((part) => part.argument === argument)?.property ?? "");
  for (const section of ["ephemeral", "data"])
    for (const types of tablesIn(member(fragment, section)))
      for (const named of tablesIn(types[IAM_STATIC_TOKEN]))
        for (const block of Object.values(named))
          for (const each of tablesIn(block)) look(each, "value", "source");
  return found;
}

function allTablesIn(value: unknown): readonly unknown[] {
  return [...tablesIn(value), ...tablesIn(value).flatMap((table) => Object.values(table))];
}

function variablesIn(parts: readonly Part[]): ReadonlyMap<string, DeclaredVariable> {
  const found = new Map<string, DeclaredVariable>();
  for (const { user, fragment } of parts)
    for (const table of tablesIn(member(fragment, "variable")))
      for (const [name, block] of Object.entries(table)) {
        const known = found.get(name) ?? { by: user.node.path, blocks: [] };
        known.blocks.push(...tablesIn(block));
        found.set(name, known);
      }
  return found;
}

/** References carry the stack that they come from. */
function isOfOtherStack(token: object, stack: TerraformStack): boolean {
  if (TokenReference.is(token)) return token.stack !== stack;
  const origin = (token as { readonly originStack?: unknown }).originStack;
  return origin !== undefined && origin !== stack;
}

function mistakeIn(
  text: unknown,
  property: string,
  find: (name: string) =>
    | {
        readonly by: string;
        readonly ephemeral: readonly unknown[];
        readonly hasDefault: boolean;
      }
    | undefined,
): IamTokensError | undefined {
  const references = referencesIn(text);
  if (references === undefined) return literal(property);
  const names = new Set<string>();
  for (const [root, name] of references) {
    if (root === "local") return localValue(property, name);
    if (root === "var") names.add(name);
  }
  for (const name of names) {
    const variable = find(name);
    if (variable?.hasDefault) return withDefault(property, name, variable.by);
    const { ephemeral = [] } = variable ?? {};
    if (ephemeral.length === 0 || ephemeral.some((each) => String(each) !== "true"))
      return stored(property, name, variable?.by);
  }
  return undefined;
}

function literal(property: string): IamTokensError {
  return new IamTokensError(
    "ERR_SECRET_LITERAL",
    `${property} is not exactly one Terraform expression (the value is not repeated here).`,
    {
      allowed:
        "one expression that refers to the secret, without text around it, braces in it, and comments",
    },
  );
}

function localValue(property: string, name: string): IamTokensError {
  return new IamTokensError(
    "ERR_SECRET_LITERAL",
    `${property} comes from the local value ${name}, which may hold a literal.`,
    { remedy: "Give the expression itself instead of the local value." },
  );
}

function withDefault(property: string, name: string, by: string): IamTokensError {
  return new IamTokensError(
    "ERR_SECRET_LITERAL",
    `${property} comes from the variable ${name} (${by}), which has a default: it would be in cdk.tf.json.`,
    { remedy: `Remove the default, or use SecretRef.variable("${name}").` },
  );
}

function stored(property: string, name: string, by: string | undefined): IamTokensError {
  const which =
    by === undefined
      ? `the variable ${name}, which the program does not declare`
      : `the variable ${name} (${by}), which is not ephemeral: saved plans contain its value in clear text, even if it is sensitive`;
  return new IamTokensError("ERR_SECRET_IN_PLAN", `${property} comes from ${which}.`, {
    remedy:
      `Use SecretRef.variable("${name}"), which declares an ephemeral variable, instead of a declaration of your own. ` +
      'Or add ephemeral = true to yours: variable.addOverride("ephemeral", true).',
  });
}

function otherStack(property: string): IamTokensError {
  return new IamTokensError(
    "ERR_OTHER_STACK",
    `${property} is a value of another stack and would be stored in that stack's state.`,
    {
      remedy:
        "Refer to it in its own stack, or use SecretRef.env, SecretRef.file or SecretRef.variable.",
    },
  );
}
