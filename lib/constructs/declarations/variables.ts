import { Lazy, TerraformVariable, type TerraformVariableConfig } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { type Secret, TOKEN_DETAILS } from "../../tokens";
import { withEphemerals } from "../blocks/block";
import { elementsOf, type Fragment } from "../framework/internals";
import type { TokenRecord } from "./registry";

/**
 * The variable that carries the token. The suffix prevents names that Terraform reserves, such as
 * `version`.
 */
const tokenVariable = (name: string): string => `${name}_token`;

/** The variable that carries the properties of the token. */
export const detailsVariable = (name: string): string => `${name}_details`;

/** Whether the program refers to more than the token, which needs a second variable. */
function hasDetails({ attributesUsed }: Pick<TokenRecord, "attributesUsed">): boolean {
  return TOKEN_DETAILS.some((name) => attributesUsed.has(name));
}

/**
 * Placeholder for a token in a command that needs none. A string instead of null: applying a saved
 * plan, Terraform demands that a variable that was unset stay unset, and its error would print the
 * line with the token.
 */
const NO_TOKEN = "not-resolved";

/** A token that was resolved before synthesis. */
export interface ResolvedToken {
  readonly token: Secret;
  /** Properties of the token, by attribute; none for a static token. */
  readonly details: Readonly<Record<string, string>> | undefined;
}

/**
 * The values of a token's variables, in clear text. A token that was not resolved keeps its
 * existing values, or gets a placeholder.
 */
export function valuesOf(
  record: TokenRecord,
  resolved: ResolvedToken | undefined,
  there: Fragment = {},
): Fragment {
  const name = record.terraformName();
  const [token, details] = [tokenVariable(name), detailsVariable(name)];
  const values = { [token]: resolved ? resolved.token.reveal() : (there[token] ?? NO_TOKEN) };
  if (!hasDetails(record)) return values;
  return { ...values, [details]: (resolved ? resolved.details : there[details]) ?? {} };
}

/** A variable that has another name than its element, or is absent. cdktf's has no `ephemeral`. */
class Variable extends TerraformVariable {
  private readonly ephemeral: boolean;

  /** @param named its name; undefined while the variable is absent */
  constructor(
    scope: Construct,
    id: string,
    private readonly named: () => string | undefined,
    { ephemeral, ...config }: TerraformVariableConfig & { readonly ephemeral?: boolean },
  ) {
    super(scope, id, config);
    this.ephemeral = ephemeral === true;
    if (ephemeral) this.addOverride("ephemeral", true);
  }

  override toTerraform(): Fragment {
    const name = this.named();
    const { variable } = super.toTerraform() as { readonly variable: Fragment };
    if (name === undefined) return {};
    const fragment = { variable: { [name]: Object.values(variable)[0] } };
    return this.ephemeral ? withEphemerals(fragment) : fragment;
  }
}

/**
 * The variable of a token that is resolved before synthesis. Its value is elsewhere: this block is
 * the same at each synthesis and for every version of Terraform. A second one has the properties of
 * the token, if the program refers to one: of two variables in one fragment, cdktf's HCL writer
 * silently drops the second.
 */
export class TokenVariable extends Variable {
  constructor(
    scope: Construct,
    id: string,
    record: Pick<TokenRecord, "attributesUsed">,
    ephemeral: boolean,
    private readonly reference: () => string,
  ) {
    const name = () => tokenVariable(this.friendlyUniqueId);
    const description = () =>
      "A token that resolveTokens issues before synthesis. " +
      `Pass it as TF_VAR_${name()}, from environment() of its result, or set writeFile: true.`;
    super(scope, id, name, {
      type: "string",
      description: Lazy.stringValue({ produce: description }),
      sensitive: true,
      ephemeral,
    });
    const details = () => (hasDetails(record) ? detailsVariable(this.friendlyUniqueId) : undefined);
    new Variable(this, "details", details, {
      type: `object({${TOKEN_DETAILS.map((detail) => `${detail}=optional(string)`).join(", ")}})`,
      description: "Properties of a token, without any secret.",
      default: {},
    });
  }

  override get fqn(): string {
    return this.reference();
  }

  /** How Terraform refers to a property of the token, or to the token. */
  address(attribute = "token"): string {
    const name = this.friendlyUniqueId;
    return attribute === "token"
      ? `var.${tokenVariable(name)}`
      : `var.${detailsVariable(name)}.${attribute}`;
  }
}

/** Whether a construct is a variable that is not ours. */
function isVariableOfProgram(construct: IConstruct): construct is TerraformVariable {
  return construct instanceof TerraformVariable && !(construct instanceof Variable);
}

/**
 * The variable of a secret, one for each name in a stack. It is ephemeral: Terraform stores its
 * value neither in plans nor in the state. Absent if the program declares the variable: cdktf would
 * merge the two.
 *
 * @param home of all such variables of the stack
 */
export function declareSecret(home: Construct, name: string): void {
  const id = `variable-${name}`;
  if (home.node.tryFindChild(id) !== undefined) return;
  const own: Variable = new Variable(
    home,
    id,
    () =>
      elementsOf(own.cdktfStack).some(
        (each) => isVariableOfProgram(each) && each.friendlyUniqueId === name,
      )
        ? undefined
        : name,
    { type: "string", sensitive: true, ephemeral: true },
  );
}
