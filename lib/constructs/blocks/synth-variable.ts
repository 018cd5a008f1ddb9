import { TerraformElement } from "cdktf";
import type { Construct } from "constructs";
import { IAM_TOKEN } from "../../provider/names";
import { type BlockArguments, escapeTemplate, type Fragment } from "./block";
import type { TokenRecord } from "./registry";
import { referenceTo } from "./token-block";

/** What is known of an issued token beside itself; none of it is a secret. */
const DETAILS = ["issued_at", "expires_at", "fingerprint", "auth_url"] as const;

/**
 * The variable that carries the token. The ending keeps it apart from words that Terraform
 * reserves, such as `version`.
 */
export const tokenVariable = (name: string): string => `${name}_token`;

/** The variable that carries what is known of the token beside itself. */
export const detailsVariable = (name: string): string => `${name}_details`;

/** Whether the program has asked for more than the token, so that there is a second variable. */
export function hasDetails({
  blockType,
  asked,
}: Pick<TokenRecord, "blockType" | "asked">): boolean {
  return blockType === IAM_TOKEN && DETAILS.some((name) => asked.has(name));
}

/**
 * One variable, in a fragment of its own: of two in one, cdktf's HCL writer would drop the second
 * without a word.
 */
abstract class Variable extends TerraformElement {
  /** Undefined while the variable is not there. */
  protected abstract config():
    | { readonly name: string; readonly arguments: BlockArguments }
    | undefined;

  override toTerraform(): Fragment {
    const note = { "//": this.constructNodeMetadata };
    return this.written((given, overrides) => ({ ...given, ...overrides, ...note }));
  }

  override toHclTerraform(): Fragment {
    return this.written((given, overrides) => ({ ...hclArguments(given), ...overrides }));
  }

  override toMetadata(): Fragment {
    const overridden = Object.keys(this.rawOverrides as Fragment);
    return overridden.length === 0 ? {} : { overrides: { variable: overridden } };
  }

  private written(write: (given: BlockArguments, overrides: Fragment) => Fragment): Fragment {
    const config = this.config();
    if (config === undefined) return {};
    return { variable: { [config.name]: write(config.arguments, this.rawOverrides as Fragment) } };
  }
}

/**
 * The variable of a token that is resolved before synthesis. Its value is elsewhere: what is
 * written here is the same at each synthesis, and whichever Terraform is there.
 */
export class TokenVariable extends Variable {
  constructor(
    scope: Construct,
    id: string,
    private readonly record: TokenRecord,
  ) {
    super(scope, id, "var");
    new DetailsVariable(this, "details", record);
  }

  override get fqn(): string {
    return referenceTo(this.record, this);
  }

  protected override config(): ReturnType<Variable["config"]> {
    const name = tokenVariable(this.friendlyUniqueId);
    const description =
      `The token of ${this.record.construct.node.path}, issued by resolveTokens before synthesis. ` +
      `Where it writes no file (in CI, for remote runs) hand it over as TF_VAR_${name}: resolveTokens(app, { onResolved }), or say writeFile: true.`;
    return {
      name,
      arguments: {
        type: "string",
        description,
        sensitive: true,
        ...(this.record.ephemeral ? { ephemeral: true } : {}),
      },
    };
  }
}

/**
 * The variable of what is known of a token beside itself: there only where the program asks for it.
 */
class DetailsVariable extends Variable {
  constructor(
    scope: Construct,
    id: string,
    private readonly record: TokenRecord,
  ) {
    super(scope, id, "var");
  }

  protected override config(): ReturnType<Variable["config"]> {
    if (!hasDetails(this.record)) return undefined;
    return {
      name: detailsVariable(this.record.terraformName()),
      arguments: {
        type: `object({${DETAILS.map((detail) => `${detail}=optional(string)`).join(", ")}})`,
        description: `What is known of the token of ${this.record.construct.node.path}; no secret.`,
        // Who hands the values over in the environment need not give this one.
        default: {},
      },
    };
  }
}

/** As cdktf's HCL writer takes the arguments of a variable. */
function hclArguments(given: BlockArguments): Fragment {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      {
        value: name === "description" ? hclText(String(value)) : value,
        isBlock: false,
        ...HCL_TYPES[name as keyof typeof HCL_TYPES],
      },
    ]),
  );
}

/**
 * A construct's id may have anything in it; cdktf's HCL writer escapes quotes alone, where there is
 * no brace.
 */
function hclText(text: string): string {
  return escapeTemplate(text.replace(/["\\]/g, "\\$&"));
}

const HCL_TYPES = {
  type: { type: "type" },
  description: { type: "simple", storageClassType: "string" },
  sensitive: { type: "simple", storageClassType: "boolean" },
  ephemeral: { type: "simple", storageClassType: "boolean" },
  default: { type: "any" },
} as const;
