import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IAM_STATIC_TOKEN, PROVIDER_SOURCE, PROVIDER_TYPE } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import { PARTS, SECRET_ARGUMENTS } from "../../tokens/ways";
import { referencesIn } from "../credentials/secret-arguments";
import type { Finding } from "../declarations/registry";
import { FROM_OTHER_STACK } from "../framework/internals";
import { type Part, scalarOf, type Table, tablesAt } from "./configuration";
import { firstLeaf } from "./places";
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
 *
 * @param ours the constructs at which their own secrets are reported
 */
export function* secretFindings(
  stack: TerraformStack,
  configuration: Table,
  ours: () => ReadonlySet<IConstruct>,
): Iterable<Finding> {
  for (const [part, property] of secretsIn(configuration)) {
    if (mistakeIn(part, property, configuration) === undefined) continue;
    const user = firstLeaf(part)?.user ?? stack;
    const owner = user.node.scopes.find((scope) => ours().has(scope));
    const where = owner === undefined ? ` (in a part of ${user.node.path})` : "";
    const mistake = mistakeIn(part, property + where, configuration);
    if (mistake !== undefined) yield [owner ?? stack, mistake.message];
  }
}

/** The parts that hold a secret, with the property that each comes from. */
function* secretsIn(configuration: Table): Iterable<readonly [Part, string]> {
  // A module may call our provider otherwise.
  const names = requirementsIn(configuration)
    .filter(({ source }) => source?.toLowerCase() === PROVIDER_SOURCE)
    .map(({ name }) => name);
  for (const name of new Set([PROVIDER_TYPE, ...names]))
    for (const block of tablesAt(configuration, "provider", name))
      for (const [argument, property] of OF_PROVIDER)
        if (isGiven(block[argument])) yield [block[argument], property];
  const checks = tablesAt(configuration, "check").flatMap((table) => Object.values(table));
  const tops = [configuration, ...checks.flatMap((check) => tablesAt(check))];
  for (const type of tops.flatMap((top) =>
    ["ephemeral", "data"].flatMap((section) => tablesAt(top, section, IAM_STATIC_TOKEN)),
  ))
    for (const { value } of Object.values(type).flatMap((named) => tablesAt(named)))
      if (isGiven(value)) yield [value, "source"];
}

/** Terraform treats null as an argument that is not given. */
const isGiven = (part: Part | undefined): part is Part => part !== undefined && part !== null;

function mistakeIn(part: Part, property: string, configuration: Table): IamTokensError | undefined {
  const value = scalarOf(part);
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
    const by = variables.map((variable) => firstLeaf(variable)?.user.node.path)[0];
    if (variables.some((variable) => isGiven(variable.default)))
      return new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${which} (${by}), which has a default: it would be in cdk.tf.json.`,
        { remedy: `Remove the default, or use SecretRef.variable("${name}").` },
      );
    const isEphemeral = ({ ephemeral }: Table) => String(scalarOf(ephemeral)) === "true";
    if (variables.length === 0 || !variables.every(isEphemeral))
      return new IamTokensError(
        "ERR_SECRET_IN_PLAN",
        by === undefined
          ? `${which}, which the program does not declare.`
          : `${which} (${by}), which is not ephemeral: saved plans contain its value in clear text, even if it is sensitive.`,
        {
          remedy:
            `Use SecretRef.variable("${name}"), which declares an ephemeral variable, instead of a declaration of your own. ` +
            'Or add ephemeral = true to yours: variable.addOverride("ephemeral", true).',
        },
      );
  }
  return undefined;
}
