import { TerraformElement, TerraformVariable } from "cdktf";
import type { Construct } from "constructs";
import { IAM_TOKEN } from "../../provider/names";
import { type BlockArguments, escapeTemplate } from "../blocks/block";
import { type Fragment, type HclType, hclAttribute } from "../framework/internals";
import type { TokenRecord } from "./registry";

/** Properties of an issued token; none of it is a secret. */
const DETAILS = ["issued_at", "expires_at", "fingerprint", "auth_url"] as const;

/**
 * The variable that carries the token. The suffix prevents names that Terraform reserves, such as
 * `version`.
 */
export const tokenVariable = (name: string): string => `${name}_token`;

/** The variable that carries the properties of the token. */
export const detailsVariable = (name: string): string => `${name}_details`;

/** Whether the program refers to more than the token, which needs a second variable. */
export function hasDetails({
  blockType,
  asked,
}: Pick<TokenRecord, "blockType" | "asked">): boolean {
  return blockType === IAM_TOKEN && DETAILS.some((name) => asked.has(name));
}

/**
 * One variable, in its own fragment: of two in one, cdktf's HCL writer silently drops the second.
 */
export abstract class Variable extends TerraformElement {
  /** Undefined while the variable is absent. */
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
 * The variable of a token that is resolved before synthesis. Its value is elsewhere: this block is
 * the same at each synthesis and for every version of Terraform.
 */
export class TokenVariable extends Variable {
  constructor(
    scope: Construct,
    id: string,
    private readonly record: TokenRecord,
    private readonly reference: () => string,
  ) {
    super(scope, id, "var");
    new DetailsVariable(this, "details", record);
  }

  override get fqn(): string {
    return this.reference();
  }

  protected override config(): ReturnType<Variable["config"]> {
    const name = tokenVariable(this.friendlyUniqueId);
    const description =
      `The token of ${this.record.construct.node.path}, issued by resolveTokens before synthesis. ` +
      `Where it writes no file (in CI, for remote runs), pass it as TF_VAR_${name}: use resolveTokens(app, { onResolved }), or set writeFile: true.`;
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
 * The variable with the properties of a token; declared only if the program refers to one.
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
        description: `Properties of the token of ${this.record.construct.node.path}, without any secret.`,
        // Optional for those who pass the values in the environment.
        default: {},
      },
    };
  }
}

/** The arguments of a variable for cdktf's HCL writer. */
function hclArguments(given: BlockArguments): Fragment {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      hclAttribute(
        name === "description" ? hclText(String(value)) : value,
        HCL_TYPES[name as keyof typeof HCL_TYPES],
      ),
    ]),
  );
}

/**
 * A construct's id may contain anything. Where there is no brace, cdktf's HCL writer escapes only
 * quotes.
 */
function hclText(text: string): string {
  return escapeTemplate(text.replace(/["\\]/g, "\\$&"));
}

const HCL_TYPES = {
  type: "type",
  description: "string",
  sensitive: "boolean",
  ephemeral: "boolean",
  default: "any",
} as const satisfies Readonly<Record<string, HclType>>;

/**
 * The variable of a secret, one for each name in a stack. It is ephemeral: Terraform stores its
 * value neither in plans nor in the state.
 */
export class SecretVariable extends Variable {
  /** @param home of all such variables of the stack */
  static declare(home: Construct, name: string): void {
    const id = `variable-${name}`;
    if (home.node.tryFindChild(id) === undefined) new SecretVariable(home, id, name);
  }

  private constructor(
    scope: Construct,
    id: string,
    private readonly name: string,
  ) {
    super(scope, id, "var");
  }

  /** Absent if the program declares the variable: cdktf would merge the two. */
  protected override config(): ReturnType<Variable["config"]> {
    const isDeclared = this.cdktfStack.node
      .findAll()
      .some((each) => each instanceof TerraformVariable && each.friendlyUniqueId === this.name);
    if (isDeclared) return undefined;
    return { name: this.name, arguments: { type: "string", sensitive: true, ephemeral: true } };
  }
}
