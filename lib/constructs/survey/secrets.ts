import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { type TerraformJson, tablesAt } from "../../hcl/json";
import { IAM_ROTATION, IAM_STATIC_TOKEN, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import { PARTS, SECRET_ARGUMENTS } from "../../tokens/ways";
import { referencesIn } from "../credentials/secret-arguments";
import { type Finding, isThere, type StackRegistry } from "../declarations/registry";
import { FROM_OTHER_STACK } from "../framework/internals";

/** The arguments of a provider block of ours that hold a secret itself, and their properties. */
const OF_PROVIDER = Object.values(SECRET_ARGUMENTS).map(
  ({ value }) =>
    [value, PARTS.find(({ argument }) => argument === value)?.property ?? value] as const,
);

/** Those of other blocks. */
const OF_BLOCKS = [
  ["ephemeral", IAM_STATIC_TOKEN, { value: "source" }],
  ["data", IAM_STATIC_TOKEN, { value: "source" }],
  ["resource", IAM_ROTATION, { stored_token_wo: "storedToken", pushed_token_wo: "the token" }],
] as const;

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
  for (const { value, property, owner, where } of secretsIn(configuration, registry)) {
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

function* secretsIn(configuration: TerraformJson, registry: StackRegistry): Iterable<Held> {
  for (const block of tablesAt(configuration, "provider", PROVIDER_TYPE)) {
    const where = [PROVIDER_TYPE, block.alias].filter(isGiven).join(".");
    const owner = registry.identities.find((each) => each.configuration === where)?.construct;
    for (const [argument, property] of OF_PROVIDER)
      if (isGiven(block[argument]))
        yield { value: block[argument], property, owner, where: `provider.${where}` };
  }
  for (const [section, blockType, properties] of OF_BLOCKS)
    for (const type of tablesAt(configuration, section, blockType))
      for (const [name, named] of Object.entries(type))
        for (const block of tablesAt(named)) {
          const where = `${section}.${blockType}.${name}`;
          const owner = registry.tokens.find((token) => token.address() === where)?.construct;
          for (const [argument, property] of Object.entries(properties))
            if (isGiven(block[argument])) yield { value: block[argument], property, owner, where };
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
  // What a local value or for_each holds may be a literal.
  if (references === undefined || references.some(([root]) => ["local", "each"].includes(root)))
    return new IamTokensError(
      "ERR_SECRET_LITERAL",
      `${property} is not exactly one Terraform expression with the secret (the value is not repeated here).`,
      {
        allowed:
          "one expression that refers to the secret, without text around it, strings, long numbers, braces and comments in it, local values, and for_each",
      },
    );
  if (String(value).includes(FROM_OTHER_STACK))
    return new IamTokensError(
      "ERR_OTHER_STACK",
      `${property} is a value of another stack and would be stored in that stack's state.`,
      { remedy: "Use SecretRef.env, SecretRef.file or SecretRef.variable." },
    );
  for (const [root, name] of references) {
    if (root !== "var") continue;
    const variables = tablesAt(configuration, "variable", name);
    const isSafe = (variable: TerraformJson) =>
      (String(variable.ephemeral) === "true" && !isGiven(variable.default)) ||
      // A condition.
      variable.type === "bool";
    if (variables.length === 0 || !variables.every(isSafe))
      return new IamTokensError(
        "ERR_SECRET_IN_PLAN",
        `${property} comes from the variable ${name}, which the program does not declare as an ephemeral one without a default: its value would be in cdk.tf.json or in saved plans.`,
        { remedy: `Use SecretRef.variable("${name}"), which declares it so.` },
      );
  }
  return undefined;
}
