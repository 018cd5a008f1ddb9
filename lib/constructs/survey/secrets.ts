import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { IamTokensError } from "../../tokens";
import { PARTS, SECRET_ARGUMENTS } from "../../tokens/ways";
import { referencesIn } from "../credentials/secret-arguments";
import type { Finding } from "../declarations/registry";
import { FROM_OTHER_STACK } from "../framework/internals";
import { listIn, type Place } from "./places";

/** The arguments of ours that hold a secret itself. */
const SECRET = new RegExp(
  `^(?:provider\\.iam\\.(${Object.values(SECRET_ARGUMENTS)
    .map(({ value }) => value)
    .join("|")})|(?:ephemeral|data)\\.iam_static_token\\.[^.]+\\.value)$`,
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
  places: readonly Place[],
  ours: ReadonlySet<IConstruct>,
): Iterable<Finding> {
  const byAddress = new Map<string, Place[]>();
  for (const place of places) listIn(byAddress, addressOf(place)).push(place);
  for (const place of places) {
    const found = SECRET.exec(addressOf(place));
    if (found === null) continue;
    const { node } = place.user;
    const owner = node.scopes.find((scope) => ours.has(scope));
    const property = PARTS.find((part) => part.argument === found[1])?.property ?? "source";
    const where = owner === undefined ? ` (in a part of ${node.path})` : "";
    const mistake = mistakeIn(place.value, property + where, byAddress);
    if (mistake !== undefined) yield [owner ?? stack, mistake.message];
  }
}

/** The path without numbers: blocks may be in lists, and overrides address items by number. */
const addressOf = ({ path }: Place) => path.replace(/\.\d+/g, "");

function mistakeIn(
  value: unknown,
  property: string,
  places: ReadonlyMap<string, readonly Place[]>,
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
    if (root !== "var") continue;
    const ephemeral = places.get(`variable.${name}.ephemeral`);
    const which = `${property} comes from the variable ${name}`;
    const by = places.get(`variable.${name}`)?.[0]?.user.node.path;
    if (places.has(`variable.${name}.default`))
      return new IamTokensError(
        "ERR_SECRET_LITERAL",
        `${which} (${by}), which has a default: it would be in cdk.tf.json.`,
        { remedy: `Remove the default, or use SecretRef.variable("${name}").` },
      );
    // cdktf merges several declarations of one variable.
    if (!ephemeral?.every((each) => String(each.value) === "true"))
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
