import type { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_STATIC_TOKEN } from "../provider/names";
import { IamTokensError } from "../tokens";
import { AuthenticationToken } from "./authentication-token";
import { argumentsIn } from "./blocks/arguments";
import { secretArguments } from "./credentials/secret-arguments";
import type { TokenDeclaration } from "./declarations/registry";
import { EmbeddedProvider } from "./embedded-provider";
import { reopen } from "./reopen";
import { assertBaseUrl } from "./values/checks";
import { assertProps, FLAG, type KindsOf, LIST, required, SECRET, TEXT } from "./values/props";
import { type SecretRef, sourceOf } from "./values/secret-ref";
import { assertResolution, RESOLUTION, TokenKind, TokenResolution } from "./values/token";

/** Properties of a {@link StaticTokenRef}. @see docs/using-tokens.md */
export interface StaticTokenRefProps {
  /** Where the token comes from. */
  readonly source: SecretRef;
  /**
   * Base address of the product APIs. Addresses that the token is requested for must be below it:
   * the same scheme, host and port, and a path at or below its path (`/v1` covers `/v1/servers`,
   * not `/v10`). May be a Terraform expression.
   *
   * @default - the token may be for any address
   * @see docs/guard-rails.md
   */
  readonly baseUrl?: string;
  /**
   * Whether a missing `baseUrl` is an error (ERR_BASE_URL_MISSING). Useful if the properties come
   * from elsewhere.
   *
   * @default false
   */
  readonly requireBaseUrl?: boolean;
  /**
   * Addresses that the token is used for. Each must be below `baseUrl`. Synthesis checks literal
   * addresses; the provider checks Terraform expressions.
   *
   * @default - any address
   */
  readonly destinations?: string[];
  /**
   * How consumers get the token. `TokenResolution.DATA`, and `TokenResolution.SYNTH` with
   * `allowInState`, need `acceptStaticTokenInState`.
   *
   * @default TokenResolution.EPHEMERAL
   */
  readonly resolution?: TokenResolution;
  /**
   * With `TokenResolution.SYNTH` only: whether the token is in an ordinary sensitive variable,
   * whose value is in saved plans and in the state. It can then be an output and an ordinary
   * argument.
   *
   * @default false
   */
  readonly allowInState?: boolean;
  /**
   * Whether the token may be in the plan and in every version of the state. It gives full access
   * that never ends.
   *
   * @default false
   */
  readonly acceptStaticTokenInState?: boolean;
}

/**
 * A static token, made in the control panel (Account menu, Access, tab API keys). It does not
 * expire, and requests carry it in `X-Token`. The provider reads it when Terraform needs it.
 *
 * A wrong type, a literal secret and a construct that does not fit are errors at once; values and
 * uses are judged at synthesis, all together. The codes are in docs/errors.md.
 *
 * @see docs/using-tokens.md
 * @example
 * const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });
 * new RestapiProvider(this, "api", { uri: "https://api.example.com", headers: dns.headers });
 */
export class StaticTokenRef extends AuthenticationToken {
  constructor(
    scope: Construct,
    id: string,
    private readonly props: StaticTokenRefProps,
  ) {
    super(scope, id, (token) => declarationOf(token, props));
  }

  /**
   * The same token in another stack of the program, which reads it by itself: the value passes
   * through no state. Further calls for a stack return the same construct; for its own stack, the
   * construct returns itself. Relative paths still start from the project.
   *
   * With a source from `SecretRef.fromTerraform`, synthesis refuses the copy: ERR_OTHER_STACK.
   */
  reopenIn(stack: TerraformStack): StaticTokenRef {
    return reopen<StaticTokenRef>(
      this,
      stack,
      (scope, id) => new StaticTokenRef(scope, id, this.props),
    );
  }
}

/** Those that are arguments of the block. */
const ARGUMENTS = { baseUrl: TEXT, destinations: LIST };

const PROPS: KindsOf<StaticTokenRefProps> = {
  source: required(SECRET),
  ...ARGUMENTS,
  requireBaseUrl: FLAG,
  resolution: RESOLUTION,
  allowInState: FLAG,
  acceptStaticTokenInState: FLAG,
};

function declarationOf(token: Construct, props: StaticTokenRefProps): TokenDeclaration {
  assertProps(props, PROPS);
  const source = sourceOf("source", props.source);
  EmbeddedProvider.of(token)._addSecret(source);
  const { resolution = TokenResolution.EPHEMERAL, allowInState = false } = props;
  assertBaseUrl(props);
  if (resolution === TokenResolution.ROTATING)
    throw new IamTokensError("ERR_PROP_INVALID", "resolution is TokenResolution.ROTATING.", {
      allowed: "TokenResolution.EPHEMERAL, TokenResolution.DATA, TokenResolution.SYNTH",
      remedy: "A static token does not expire: there is nothing to rotate.",
    });
  assertResolution(props, resolution);
  const inState = resolution === TokenResolution.DATA || allowInState;
  if (inState && props.acceptStaticTokenInState !== true)
    throw new IamTokensError(
      "ERR_STATIC_TOKEN_IN_STATE",
      `With resolution: ${resolution}, allowInState: ${allowInState} the static token is stored in plan and state: full access that never expires.`,
    );
  return {
    kind: TokenKind.STATIC_TOKEN,
    blockType: IAM_STATIC_TOKEN,
    resolution,
    allowInState,
    baseUrl: props.baseUrl,
    arguments: (file) => ({
      ...secretArguments(source, {}, file),
      ...argumentsIn(props, ARGUMENTS, file),
      accept_in_state: inState || undefined,
    }),
  };
}
