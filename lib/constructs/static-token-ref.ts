import type { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_STATIC_TOKEN } from "../provider/names";
import { AuthenticationToken, type TokenDeclaration } from "./authentication-token";
import { filePathFor } from "./blocks/file-path";
import { reopen } from "./blocks/reopening";
import { secretArguments } from "./credentials/secret-arguments";
import { EmbeddedProvider } from "./embedded-provider";
import type { Mistakes } from "./values/checks";
import { checkBaseUrl, checkDestinations } from "./values/checks";
import { SecretRef, sourceOf } from "./values/secret-ref";
import { checkAllowInState, checkResolution, TokenKind, TokenResolution } from "./values/token";

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

/** A static token has no expiry, so it cannot be rotated. */
const WAYS = [TokenResolution.EPHEMERAL, TokenResolution.DATA, TokenResolution.SYNTH];

/**
 * A static token, made in the control panel (Account menu, Access, tab API keys). It does not
 * expire, and requests carry it in `X-Token`. The provider reads it when Terraform needs it. Its
 * time of issue is unknown, and it has no fingerprint: the digest of a weak token could be guessed.
 *
 * Errors at synthesis, all reported at once, have the codes of docs/errors.md.
 *
 * @see docs/using-tokens.md
 * @example
 * const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });
 * new RestapiProvider(this, "api", { uri: "https://api.example.com", headers: dns.headers });
 */
export class StaticTokenRef extends AuthenticationToken {
  /** Always undefined: its time of issue is unknown. */
  readonly issuedAt?: string;
  /** Always undefined: a static token has no expiry. */
  readonly expiresAt?: string;
  /** Always undefined: the digest of a weak token could be guessed. */
  readonly fingerprint?: string;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: StaticTokenRefProps,
  ) {
    super(scope, id, (token, mistakes) => declarationOf(token, props, mistakes));
  }

  /**
   * The same token in another stack of the program, which reads it by itself: the value passes
   * through no state. Further calls for a stack return the same construct; for its own stack, the
   * construct returns itself. Relative paths still start from the project.
   *
   * With a source from `SecretRef.fromTerraform`, synthesis refuses the copy: ERR_OTHER_STACK.
   */
  reopenIn(stack: TerraformStack): StaticTokenRef {
    return reopen<StaticTokenRef>(this, stack, EmbeddedProvider.of, (scope, id) => {
      this._mistakes.check(() => SecretRef._assertMovable("source", this.props.source));
      return new StaticTokenRef(scope, id, this.props);
    });
  }
}

function declarationOf(
  token: Construct,
  given: StaticTokenRefProps,
  mistakes: Mistakes,
): TokenDeclaration {
  const source = mistakes.check(() => sourceOf("source", given.source));
  EmbeddedProvider.of(token)._addSecret(source);
  const baseUrl = checkBaseUrl(given.baseUrl, given.requireBaseUrl, mistakes);
  const destinations = checkDestinations(given.destinations, baseUrl, mistakes);
  const accepted = given.acceptStaticTokenInState;
  const resolution = checkResolution(given.resolution, mistakes, WAYS);
  const byData = resolution === TokenResolution.DATA;
  const allowInState = checkAllowInState(given.allowInState, resolution, mistakes);
  const inState = byData || allowInState;
  if (inState && accepted !== true) {
    const way = byData ? "resolution: data" : "resolution: synth with allowInState";
    mistakes.add(
      "ERR_STATIC_TOKEN_IN_STATE",
      `A static token by ${way} is stored in plan and state: full access that never expires.`,
    );
  }
  return {
    kind: TokenKind.STATIC_TOKEN,
    blockType: IAM_STATIC_TOKEN,
    resolution,
    allowInState,
    baseUrl,
    arguments: () => ({
      ...secretArguments(source, { env: "env", file: "file", value: "value" }, (path) =>
        filePathFor(path, process.cwd(), EmbeddedProvider.of(token)._stackFolder),
      ),
      base_url: baseUrl.argument,
      destinations,
      accept_in_state: inState && accepted === true ? true : undefined,
    }),
  };
}
