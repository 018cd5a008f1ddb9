import { TerraformOutput } from "cdktf";
import { Construct } from "constructs";
import type { IAuthenticationToken } from "./authentication-token";
import { EmbeddedProvider } from "./embedded-provider";
import { assertSameStack, withPath } from "./values/checks";
import { assertKind, kind, TOKEN } from "./values/kinds";
import { TokenKind } from "./values/token";

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

const PREFIX = kind(
  "letters, digits, _ and -, starting with a letter or _",
  (value) => typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(value),
  { code: "ERR_NAME_INVALID", remedy: "Give a prefix, or another id." },
);

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
    const provider = EmbeddedProvider._for(this, props);
    withPath(this, () => {
      assertKind("token", props.token, TOKEN);
      assertSameStack("token", props.token, this);
      assertKind("The prefix of the outputs' names", props.prefix ?? id, PREFIX);
    });
    const { token, prefix = id } = props;
    provider._registry.outputs.push(this);
    const output = (name: string, value: string, description: string, sensitive = {}) =>
      new TerraformOutput(this, `${prefix}_${name}`, {
        staticId: true,
        description,
        value,
        ...sensitive,
      });
    output("header_name", token.headerName, "Request header for the token.");
    output("value", token.value, "The token.", { sensitive: true });
    output(
      "expires_at",
      token.kind === TokenKind.STATIC_TOKEN ? "" : token.expiresAt,
      "When the token expires (RFC 3339); empty if it does not expire.",
    );
  }
}
