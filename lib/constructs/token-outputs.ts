import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import { IamTokensError } from "../tokens";
import type { AuthenticationToken, IAuthenticationToken } from "./authentication-token";
import { TERRAFORM_NAME } from "./blocks/block";
import { assertSameStack } from "./blocks/reopening";
import { EmbeddedProvider } from "./embedded-provider";
import { checkedFor, quoted } from "./values/checks";
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
    const { token, prefix = id } = props;
    checkedFor(this, () => {
      assertSameStack("token", token, this);
      assertStored(token as AuthenticationToken);
      if (TERRAFORM_NAME.test(prefix)) return;
      const problem = `The outputs' names would start with ${quoted(prefix)}.`;
      throw new IamTokensError("ERR_NAME_INVALID", problem, {
        allowed: "letters, digits, _ and -, starting with a letter or _",
        remedy: "Give a prefix, or another id.",
      });
    });
    registry.outputs.push({ construct: this, outputs: this.declare(prefix, token) });
    this.node.addValidation({ validate: () => [...registry.findingsFor(this)] });
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

function assertStored({ node, resolution, _isEphemeral }: AuthenticationToken): void {
  if (!_isEphemeral) return;
  throw new IamTokensError(
    "ERR_EPHEMERAL_OUTPUT",
    `The token ${node.path} is ephemeral: Terraform's outputs cannot hold ephemeral values.`,
    resolution === TokenResolution.SYNTH
      ? {
          remedy:
            "Declare the token with allowInState: true; it is then stored in saved plans and in the state.",
        }
      : {},
  );
}
