import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import { AuthenticationToken, type IAuthenticationToken } from "./authentication-token";
import { TERRAFORM_NAME } from "./blocks/block";
import { checkSameStack } from "./blocks/reopening";
import { EmbeddedProvider } from "./embedded-provider";
import { type Mistakes, quoted, Refusals } from "./values/checks";
import { TokenResolution } from "./values/token";

/** Properties of {@link TokenOutputs}. @see docs/using-tokens.md */
export interface TokenOutputsProps {
  /** The token: of the same stack, and not ephemeral. */
  readonly token: IAuthenticationToken;
  /**
   * Prefix of the outputs' names.
   *
   * @default - the construct's id
   */
  readonly prefix?: string;
}

/**
 * Outputs of the stack with a token, for other programs: `X_header_name` in clear text, `X_value`
 * (sensitive) and `X_expires_at` (RFC 3339; empty for a static token). X is the construct's id, or
 * `prefix`. It gets no suffix, so pipelines can rely on it.
 *
 * @see docs/using-tokens.md
 * @example
 * new TokenOutputs(this, "ci", { token: shared }); // ci_header_name, ci_value, ci_expires_at
 */
export class TokenOutputs extends Construct {
  constructor(scope: Construct, id: string, props: TokenOutputsProps) {
    super(scope, id);
    const registry = EmbeddedProvider.of(this)._registry;
    const mistakes = new Refusals(this);
    const token = checkToken(props.token, this, mistakes);
    const prefix = props.prefix ?? id;
    if (!TERRAFORM_NAME.test(prefix)) {
      mistakes.add("ERR_NAME_INVALID", `The outputs' names would start with ${quoted(prefix)}.`, {
        allowed: "letters, digits, _ and -, starting with a letter or _",
        remedy: "Give a prefix, or another id.",
      });
    }
    const outputs = token !== undefined ? this.declare(prefix, token) : [];
    registry.outputs.push({ construct: this, outputs });
    this.node.addValidation({
      validate: () => [...registry.findingsFor(this)],
    });
  }

  private declare(prefix: string, token: IAuthenticationToken): TerraformOutput[] {
    const output = (
      name: string,
      description: string,
      value: string,
      sensitive: boolean,
    ): TerraformOutput =>
      new TerraformOutput(this, `${prefix}_${name}`, {
        staticId: true,
        description,
        value,
        ...(sensitive && { sensitive }),
      });
    return [
      output("header_name", "Request header for the token.", token.headerName, false),
      output("value", "The token.", token.value, true),
      output(
        "expires_at",
        "When the token expires (RFC 3339); empty if it does not expire.",
        (token as { readonly expiresAt?: string }).expiresAt ?? "",
        false,
      ),
    ];
  }
}

function checkToken(
  token: unknown,
  own: Construct,
  mistakes: Mistakes,
): IAuthenticationToken | undefined {
  if (!AuthenticationToken._isToken(token)) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `token is ${token === undefined ? "missing" : `a value of type ${typeof token}, not a token construct`}.`,
      { allowed: "a ServiceUserToken or a StaticTokenRef of the same stack" },
    );
    return undefined;
  }
  if (!checkSameStack("token", token, own, mistakes)) return undefined;
  const record = EmbeddedProvider.of(token)._registry.tokens.find(
    ({ construct }) => construct === token,
  );
  if (record?.ephemeral) {
    mistakes.add(
      "ERR_EPHEMERAL_OUTPUT",
      `The token ${token.node.path} is ephemeral: Terraform's outputs cannot hold ephemeral values.`,
      token.resolution === TokenResolution.SYNTH
        ? {
            remedy:
              "Declare the token with allowInState: true; it is then stored in saved plans and in the state.",
          }
        : {},
    );
    return undefined;
  }
  return token;
}
