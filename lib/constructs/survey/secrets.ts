import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { type TerraformJson, tablesAt } from "../../hcl/json";
import { IAM_STATIC_TOKEN, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import { PARTS, SECRET_ARGUMENTS } from "../../tokens/ways";
import { providerSourceOf } from "../blocks/provider-source";
import { referencesIn } from "../credentials/secret-arguments";
import { type Finding, isThere, type StackRegistry } from "../declarations/registry";
import { FROM_OTHER_STACK } from "../framework/internals";
import { requirementsIn } from "./required-providers";

/** The arguments of a provider block of ours that hold a secret itself, and their properties. */
const OF_PROVIDER = Object.values(SECRET_ARGUMENTS).map(
  ({ value }) =>
    [value, PARTS.find(({ argument }) => argument === value)?.property ?? value] as const,
);

/**
 * Errors of secrets that Terraform would evaluate. Each argument of ours that holds a secret is
 * looked at in every part of the configuration, overrides included: it must be one expression of
 * this stack, without local values, and its variables must be ephemeral ones that the program
 * declares without a default. All else would be in `cdk.tf.json`, in saved plans or in the state of
 * another stack, and Terraform would take it.
 */
export function* secretFindings(
  stack: TerraformStack,
  configuration: TerraformJson,
  registry: StackRegistry,
): Iterable<Finding> {
  const source = providerSourceOf(stack);
  for (const { value, property, owner, where } of secretsIn(configuration, registry, source)) {
    const construct = owner !== undefined && isThere(owner) ? owner : undefined;
    const what = construct ? property : `${property} (in ${where})`;
    const mistake = mistakeIn(value, what, configuration);
    if (mistake !== undefined) yield [construct ?? stack, mistake.message];
  }
}

/** An argument that holds a secret. */
interface Held {
  readonly value: unknown;
  readonly property: string;
  /** The construct of ours that has it. */
  readonly owner: IConstruct | undefined;
  /** The address of its block. */
  readonly where: string;
}

function* secretsIn(
  configuration: TerraformJson,
  registry: StackRegistry,
  source: string,
): Iterable<Held> {
  // A module may call our provider otherwise.
  const names = requirementsIn(configuration)
    .filter((each) => each.source?.toLowerCase() === source)
    .map(({ name }) => name);
  for (const name of new Set([PROVIDER_TYPE, ...names]))
    for (const block of tablesAt(configuration, "provider", name)) {
      const where = [name, block.alias].filter(isGiven).join(".");
      const owner = registry.identities.find((each) => each.configuration === where)?.construct;
      for (const [argument, property] of OF_PROVIDER)
        if (isGiven(block[argument]))
          yield { value: block[argument], property, owner, where: `provider.${where}` };
    }
  const checks = tablesAt(configuration, "check").flatMap((table) => Object.values(table));
  const tops = [configuration, ...checks.flatMap((check) => tablesAt(check))];
  for (const top of tops)
    for (const section of ["ephemeral", "data"])
      for (const type of tablesAt(top, section, IAM_STATIC_TOKEN))
        for (const [name, named] of Object.entries(type))
          for (const { value } of tablesAt(named)) {
            const where = `${section}.${IAM_STATIC_TOKEN}.${name}`;
            const owner = registry.tokens.find((token) => token.address() === where)?.construct;
            if (isGiven(value)) yield { value, property: "source", owner, where };
          }
}

/** Terraform treats null as an argument that is not given. */
const isGiven = (part: unknown): boolean => part !== undefined && part !== null;

function mistakeIn(
  value: unknown,
  property: string,
  configuration: TerraformJson,
): IamTokensError | undefined {
  const references = referencesIn(value);
  if (references === undefined)
    return new IamTokensError(
      "ERR_SECRET_LITERAL",
      `${property} is not exactly one Terraform expression (the value is not repeated here).`,
      {
        allowed:
          "one expression that refers to the secret, without text around it, braces in it, and comments",
      },
    );
  if (String(value).includes(FROM_OTHER_STACK))
    return new IamTokensError(
      "ERR_OTHER_STACK",
      `${property} is a value of another stack and would be stored in that stack's state.`,
      {
        remedy:
          "Refer to it in its own stack, or use SecretRef.env, SecretRef.file or SecretRef.variable.",
      },
    );
  for (const [root, name] of references) {
    if (root === "local")
      return new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${property} comes from the local value ${name}, which may hold a literal.`,
        { remedy: "Give the expression itself instead of the local value." },
      );
    if (root === "each")
      return new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${property} comes from each.${name}, and for_each may hold a literal.`,
        { remedy: "Give the expression itself, without for_each." },
      );
    if (root !== "var") continue;
    const variables = tablesAt(configuration, "variable", name);
    const which = `${property} comes from the variable ${name}`;
    if (variables.some((variable) => isGiven(variable.default)))
      return new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${which}, which has a default: it would be in cdk.tf.json.`,
        { remedy: `Remove the default, or use SecretRef.variable("${name}").` },
      );
    const isEphemeral = ({ ephemeral }: TerraformJson) => String(ephemeral) === "true";
    if (variables.length === 0 || !variables.every(isEphemeral))
      return new IamTokensError(
        "ERR_SECRET_IN_PLAN",
        variables.length === 0
          ? `${which}, which the program does not declare.`
          : `${which}, which is not ephemeral: saved plans contain its value in clear text, even if it is sensitive.`,
        {
          remedy:
            `Use SecretRef.variable("${name}"), which declares an ephemeral variable, instead of a declaration of your own. ` +
            'Or add ephemeral = true to yours: variable.addOverride("ephemeral", true).',
        },
      );
  }
  return undefined;
}
