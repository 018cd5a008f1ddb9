import type { TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { IAM_STATIC_TOKEN } from "../provider/names";
import { AuthenticationToken, type TokenDeclaration } from "./authentication-token";

import { reopen } from "./blocks/reopening";
import { secretArguments, secretMistakes } from "./blocks/secret-arguments";
import { EmbeddedProvider } from "./embedded-provider";
import { checkBaseUrl, checkDestinations } from "./props/destinations";
import type { Mistakes } from "./props/mistakes";
import { checkFlag, checkProps } from "./props/props";
import { checkSecret, SecretRef } from "./values/secret-ref";
import { TokenKind } from "./values/token-kind";
import { checkAllowInState, checkResolution, TokenResolution } from "./values/token-resolution";

/** What a {@link StaticTokenRef} is made from. */
export interface StaticTokenRefProps {
  /** Where the token comes from. */
  readonly source: SecretRef;
  /**
   * Base address of the product APIs: addresses that the token is for must fall under it, in
   * scheme, host, port and path (`/v1` covers `/v1/servers`, not `/v10`). May be a Terraform
   * expression.
   *
   * @default - the token may be for any address
   * @see spec, "Authentication", 7
   */
  readonly baseUrl?: string;
  /**
   * Refuse to do without `baseUrl`: for properties that come from elsewhere.
   *
   * @default false
   */
  readonly requireBaseUrl?: boolean;
  /**
   * Addresses that the token is for. Each must fall under `baseUrl`: what the program knows is
   * checked when it is synthesized, Terraform expressions when Terraform knows them.
   *
   * @default - any address
   */
  readonly destinations?: string[];
  /**
   * How the token reaches what uses it. `TokenResolution.DATA`, and `TokenResolution.SYNTH` with
   * `allowInState`, need `acceptStaticTokenInState`.
   *
   * @default TokenResolution.EPHEMERAL
   */
  readonly resolution?: TokenResolution;
  /**
   * With `TokenResolution.SYNTH` only: an ordinary sensitive variable, whose value stands in saved
   * plans and in the state, so that it can be an output and an ordinary argument.
   *
   * @default false
   */
  readonly allowInState?: boolean;
  /**
   * Accept that the token stands in the plan and in every version of the state: full access that
   * never ends.
   *
   * @default false
   */
  readonly acceptStaticTokenInState?: boolean;
}

/** A static token has no expiry that it could be rotated ahead of. */
const WAYS = [TokenResolution.EPHEMERAL, TokenResolution.DATA, TokenResolution.SYNTH];

const KNOWN = [
  "source",
  "baseUrl",
  "requireBaseUrl",
  "destinations",
  "resolution",
  "allowInState",
  "acceptStaticTokenInState",
];

/**
 * A static token: made in the control panel (Account menu, Access, tab API keys), without expiry,
 * sent in `X-Token`. It is looked up when Terraform needs it. It has no time of issue or expiry,
 * and no fingerprint: its strength is not known, so that a digest could be guessed.
 *
 * Wrong properties are reported when the program is synthesized, all at once: ERR_SECRET_LITERAL,
 * ERR_STATIC_TOKEN_IN_STATE, ERR_ADDRESS_INVALID, ERR_BASE_URL_MISSING, ERR_DESTINATION_REFUSED,
 * ERR_KIND_UNSUITABLE, ERR_PROP_INVALID, ERR_NAME_TAKEN, ERR_OTHER_STACK, ERR_HCL_OUTPUT.
 *
 * @see spec, "Static token issuing"
 * @example
 * const dns = new StaticTokenRef(this, "dns", { source: SecretRef.env("STATIC_TOKEN") });
 * new RestapiProvider(this, "api", { uri: "https://api.example.com", headers: dns.headers });
 */
export class StaticTokenRef extends AuthenticationToken {
  /** Always undefined: when it was made is not known. */
  readonly issuedAt?: string;
  /** Always undefined: a static token has no expiry. */
  readonly expiresAt?: string;
  /** Always undefined: a digest of a weak token could be guessed. */
  readonly fingerprint?: string;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: StaticTokenRefProps,
  ) {
    super(scope, id, (token, mistakes) => declarationOf(token, props, mistakes));
  }

  /**
   * The same token in another stack of the program: looked up there too, so that its value goes
   * through no state. Asked again for the same stack, it is the same construct; for its own stack,
   * itself. Relative files stay those of the project.
   *
   * A source by `SecretRef.fromTerraform` cannot go to another stack: reported there as
   * ERR_OTHER_STACK.
   */
  reopenIn(stack: TerraformStack): StaticTokenRef {
    return reopen<StaticTokenRef>(this, stack, EmbeddedProvider.of, (scope, id) => {
      const source = SecretRef._elsewhere(this.props?.source);
      return new StaticTokenRef(scope, id, { ...this.props, source });
    });
  }
}

function declarationOf(token: Construct, props: unknown, mistakes: Mistakes): TokenDeclaration {
  const given = checkProps(props, KNOWN, mistakes);
  const source = checkSecret("source", given.source, mistakes);
  const baseUrl = checkBaseUrl(given.baseUrl, given.requireBaseUrl, mistakes);
  const destinations = checkDestinations(given.destinations, baseUrl, mistakes);
  const accepted = checkFlag("acceptStaticTokenInState", given.acceptStaticTokenInState, mistakes);
  const resolution = checkResolution(given.resolution, mistakes, WAYS);
  const byData = resolution === TokenResolution.DATA;
  const allowInState = checkAllowInState(given.allowInState, resolution, mistakes);
  const inState = byData || allowInState;
  if (inState && accepted !== true) {
    const way = byData ? "resolution: data" : "resolution: synth with allowInState";
    mistakes.add(
      "ERR_STATIC_TOKEN_IN_STATE",
      `A static token by ${way} stands in plan and state: full access that never ends.`,
    );
  }
  return {
    kind: TokenKind.STATIC_TOKEN,
    blockType: IAM_STATIC_TOKEN,
    resolution,
    allowInState,
    baseUrl,
    lateMistakes: () => secretMistakes("source", source, token),
    arguments: () => ({
      ...secretArguments(
        source,
        { env: "env", file: "file", value: "value" },
        process.cwd(),
        EmbeddedProvider.of(token)._stackFolder,
      ),
      base_url: baseUrl.argument,
      destinations,
      accept_in_state: inState && accepted === true ? true : undefined,
    }),
  };
}
