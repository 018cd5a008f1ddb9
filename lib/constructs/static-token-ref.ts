import type { Construct } from "constructs";
import { IAM_STATIC_TOKEN } from "../provider/names";
import { IamTokensError } from "../tokens";
import { AuthenticationToken } from "./authentication-token";
import { secretArguments } from "./credentials/secret-arguments";
import type { TokenDeclaration } from "./declarations/registry";
import { EmbeddedProvider } from "./embedded-provider";
import { RESOLUTION, type TokenResolution } from "./token-resolution";
import { assertKind } from "./values/kinds";
import { type SecretRef, sourceOf } from "./values/secret-ref";
import { TokenKind } from "./values/token";

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
   * Addresses that the token is used for. Each must be below `baseUrl`. Synthesis checks literal
   * addresses; the provider checks Terraform expressions.
   *
   * @default - any address
   */
  readonly destinations?: string[];
  /**
   * How consumers get the token: not `TokenResolution.rotating`, because it does not expire.
   *
   * @default TokenResolution.ephemeral()
   */
  readonly resolution?: TokenResolution;
  /**
   * Whether the token may be in the plan and in every version of the state, which
   * `TokenResolution.data` needs. It gives full access that never ends.
   *
   * @default false
   */
  readonly allowInState?: boolean;
}

/**
 * A static token, made in the control panel (Account menu, Access, tab API keys). It does not
 * expire, and requests carry it in `X-Token`. The provider reads it when Terraform needs it.
 *
 * A wrong type, a literal secret and a construct that does not fit are errors at once; values and
 * uses are judged at synthesis, all together. The codes are in docs/api/errors.md.
 *
 * @see docs/using-tokens.md
 * @example
 * const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });
 * new RestapiProvider(this, "api", { uri: "https://api.example.com", headers: dns.headers });
 */
export class StaticTokenRef extends AuthenticationToken {
  constructor(scope: Construct, id: string, props: StaticTokenRefProps) {
    super(scope, id, props, (token, resolution) => declarationOf(token, props, resolution));
  }
}

function declarationOf(
  token: Construct,
  props: StaticTokenRefProps,
  resolution: TokenResolution,
): TokenDeclaration {
  assertKind("resolution", resolution, RESOLUTION);
  const source = sourceOf("source", props.source);
  EmbeddedProvider.getOrCreate(token)._addSecret(source);
  assertForStatic(resolution);
  const isInState = resolution._isInState;
  // The option of TokenResolution.synth has said so.
  if (isInState && props.allowInState !== true && resolution.name === "data")
    throw new IamTokensError(
      "ERR_STATIC_TOKEN_IN_STATE",
      "With resolution: data the static token is stored in plan and state: full access that never expires.",
    );
  return {
    kind: TokenKind.STATIC_TOKEN,
    blockType: IAM_STATIC_TOKEN,
    resolution: resolution._name,
    isInState,
    baseUrl: props.baseUrl,
    arguments: (file) => ({
      ...secretArguments(source, {}, file),
      base_url: props.baseUrl,
      destinations: props.destinations,
      accept_in_state: isInState || undefined,
    }),
  };
}

/** Refuses a resolution, or an option of one, that only an IAM token has. */
function assertForStatic(resolution: TokenResolution): void {
  const allowed = "TokenResolution.ephemeral(), TokenResolution.data(), TokenResolution.synth()";
  const remedy = "A static token does not expire: there is nothing to rotate or to revoke.";
  if (resolution.name === "rotating")
    throw new IamTokensError("ERR_PROP_INVALID", "resolution is TokenResolution.rotating.", {
      allowed,
      remedy,
    });
  const [option] = Object.keys(resolution._arguments);
  if (option !== undefined)
    throw new IamTokensError("ERR_PROP_INVALID", `resolution has ${option}.`, { allowed, remedy });
}
