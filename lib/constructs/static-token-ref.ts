import type { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { IAM_STATIC_TOKEN } from "../provider/names";
import { headerNameOf } from "../tokens";
import type { IAuthenticationToken } from "./authentication-token";
import { secretArguments, secretMistakes } from "./blocks/secret-arguments";
import { checkResolution, DeclaredToken, STATIC_TOKEN_WAYS } from "./declared-token";
import { EmbeddedProvider } from "./embedded-provider";
import type { MayManage } from "./may-manage";
import type { ProductArea } from "./product-area";
import { checkAllowInState } from "./props/allow-in-state";
import { checkBaseUrl, checkDestinations } from "./props/destinations";
import { Mistakes } from "./props/mistakes";
import { checkFlag, checkProps } from "./props/props";
import { checkSecret } from "./props/secret";
import { reopen } from "./reopening";
import { SecretRef } from "./secret-ref";
import { TokenKind } from "./token-kind";
import { TokenResolution } from "./token-resolution";

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
   * `allowInState`, need
   * `acceptStaticTokenInState`.
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
export class StaticTokenRef extends Construct implements IAuthenticationToken {
  readonly kind: TokenKind = TokenKind.STATIC_TOKEN;
  readonly resolution: TokenResolution;
  /** Always undefined: when it was made is not known. */
  readonly issuedAt?: string;
  /** Always undefined: a static token has no expiry. */
  readonly expiresAt?: string;
  /** Always undefined: a digest of a weak token could be guessed. */
  readonly fingerprint?: string;
  private readonly declared: DeclaredToken;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: StaticTokenRefProps,
  ) {
    super(scope, id);
    const mistakes = new Mistakes();
    const given = checkProps(props, KNOWN, mistakes);
    const source = checkSecret("source", given.source, mistakes);
    const baseUrl = checkBaseUrl(given.baseUrl, given.requireBaseUrl, mistakes);
    const destinations = checkDestinations(given.destinations, baseUrl, mistakes);
    const accepted = checkFlag(
      "acceptStaticTokenInState",
      given.acceptStaticTokenInState,
      mistakes,
    );
    this.resolution = checkResolution(given.resolution, mistakes, STATIC_TOKEN_WAYS);
    const byData = this.resolution === TokenResolution.DATA;
    const allowInState = checkAllowInState(given.allowInState, this.resolution, mistakes);
    const inState = byData || allowInState === true;
    if (inState && accepted !== true) {
      const way = byData ? "resolution: data" : "resolution: synth with allowInState";
      mistakes.add(
        "ERR_STATIC_TOKEN_IN_STATE",
        `A static token by ${way} stands in plan and state: full access that never ends.`,
      );
    }
    this.declared = new DeclaredToken(this, {
      blockType: IAM_STATIC_TOKEN,
      resolution: this.resolution,
      allowInState,
      mistakes,
      baseUrl,
      lateMistakes: () => secretMistakes("source", source, this),
      arguments: () => ({
        ...secretArguments(
          source,
          { env: "env", file: "file", value: "value" },
          process.cwd(),
          EmbeddedProvider.of(this)._stackFolder,
        ),
        base_url: baseUrl.argument,
        destinations,
        accept_in_state: inState && accepted === true ? true : undefined,
      }),
    });
  }

  /** `X-Token`. @see spec, "Authentication", 2 */
  get headerName(): string {
    return headerNameOf(this.kind);
  }

  /** The token itself, sensitive. */
  get value(): string {
    return this.declared.attribute("token");
  }

  /**
   * The header with the token, as a map: what a provider or a request takes as its headers.
   * Sensitive.
   */
  get headers(): { [name: string]: string } {
    return this.declared.headers;
  }

  /**
   * The token for a command that a provisioner runs: `NAME` has the token, `NAME_HEADER` the name
   * of the header to send it in.
   *
   * @param name of the variable: letters, digits and `_`, not beginning with a digit;
   * ERR_NAME_INVALID otherwise
   */
  environment(name: string): { [name: string]: string } {
    return this.declared.environment(name);
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
    return reopen<StaticTokenRef>(this, stack, (scope, id) => {
      const source = SecretRef._elsewhere(this.props?.source);
      return new StaticTokenRef(scope, id, { ...this.props, source });
    });
  }

  /**
   * The header with the token for a request to this address, as a map. Sensitive.
   *
   * An address that the program knows is checked against the base address when it is synthesized.
   * For a Terraform expression the token is declared once more, for that address alone: it comes
   * from the same request, and is unknown until the address is known.
   *
   * Reported when the program is synthesized: ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED.
   *
   * @see spec, "Authentication", 7
   * @example
   * token.headersFor("https://api.example.com/dns")
   */
  headersFor(url: string): { [name: string]: string } {
    return this.declared.forDestination(url).headers;
  }

  /** The token itself for a request to this address; sensitive. Otherwise as `headersFor`. */
  valueFor(url: string): string {
    return this.declared.forDestination(url).value;
  }

  /**
   * Whether the token may manage an area. `MayManage.UNKNOWN`, where the spec does not show it, is
   * neither yes nor no.
   *
   * @see spec, "What each token kind manages"
   */
  mayManage(area: ProductArea): MayManage {
    return this.declared.mayManage(area);
  }

  /**
   * Says what the token is for. Reported when the program is synthesized: ERR_KIND_UNSUITABLE, with
   * the kinds that may, when it may not manage the area; a warning when that is not known.
   *
   * @example token.assertMayManage(ProductArea.CLOUD_DATABASES);
   */
  assertMayManage(area: ProductArea): void {
    this.declared.assertMayManage(area);
  }

  /** The address of the token's block in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.declared.fqn;
  }
}
