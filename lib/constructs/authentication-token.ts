import { type ITerraformDependable, Token } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { assertDestination, headerNameOf, IamTokensError, parseBaseUrl } from "../tokens";
import type { TokenDeclaration } from "./declarations/registry";
import { declareToken, type TokenObject } from "./declarations/token-object";
import { NULL } from "./declarations/token-reference";
import { EmbeddedProvider } from "./embedded-provider";
import { TokenResolution } from "./token-resolution";
import { isUnresolved, withPath } from "./values/checks";
import { assertKind, received, VARIABLE } from "./values/kinds";
import { assertArea, type ProductArea } from "./values/product-area";
import { TokenKind } from "./values/token";
import { warnOnce } from "./warnings";

/**
 * The declaration of a token for requests to the product APIs: a {@link ServiceUserToken} or a
 * {@link StaticTokenRef}. The program never knows the token's value: it gets references that
 * Terraform resolves.
 *
 * Other constructs can depend on it: `dependsOn: [token]`.
 *
 * @see docs/using-tokens.md
 */
export interface IAuthenticationToken extends IConstruct, ITerraformDependable {
  /** The token's kind, by the service's identifiers. @see docs/api/product-areas.md */
  readonly kind: TokenKind;
  /** How consumers get the token. */
  readonly resolution: TokenResolution;
  /**
   * The name of the request header for the token: `X-Auth-Token` for IAM tokens, `X-Token` for
   * static ones. @see docs/using-tokens.md
   */
  readonly headerName: string;
  /**
   * The token, as a sensitive value: for an argument such as a provider's `token`.
   *
   * @see docs/using-tokens.md
   */
  readonly value: string;
  /**
   * The header with the token, as a map for the headers of a provider or a request. Sensitive.
   */
  readonly headers: { [name: string]: string };
  /** When the token was issued (RFC 3339, UTC). In Terraform, null for a static token. */
  readonly issuedAt: string;
  /**
   * When the token expires (RFC 3339, UTC). In Terraform, null for a static token, which does not
   * expire.
   */
  readonly expiresAt: string;
  /**
   * The first 12 hex digits of the token's SHA-256: safe to print, equal for equal tokens. In
   * Terraform, null for a static token: the digest of a weak token could be guessed.
   */
  readonly fingerprint: string;
  /**
   * Environment variables for a command that a provisioner runs: `NAME` contains the token,
   * `NAME_HEADER` the name of its header. The following command keeps both out of `ps`, because
   * `printf` is part of the shell and `curl -H "@-"` reads the header from its input:
   * `printf "%s: %s" "$NAME_HEADER" "$NAME" | curl -H "@-" https://api.example.com/servers`.
   *
   * @param name name of the variable: letters, digits and `_`, not beginning with a digit;
   * otherwise synthesis fails with ERR_NAME_INVALID
   * @example
   * // For the command of a local-exec provisioner, or any other that Terraform runs.
   * const environment = web.environment("API");
   */
  environment(name: string): { [name: string]: string };
  /**
   * The header with the token for a request to this address, as a map. Sensitive.
   *
   * Synthesis compares the address with the base address, so both must be literal. The provider
   * checks an address that only Terraform knows: give it to the token, `destinations: [address]`,
   * and use `headers`.
   *
   * Errors at synthesis: ERR_ADDRESS_INVALID, ERR_DESTINATION_REFUSED.
   *
   * @see docs/guard-rails.md
   * @example
   * web.headersFor("https://api.example.com/dns");
   */
  headersFor(url: string): { [name: string]: string };
  /** The token for a request to this address, sensitive. The rest is as for `headersFor`. */
  valueFor(url: string): string;
  /**
   * Requires that the token may manage an area. If it may not, synthesis fails with
   * ERR_KIND_UNSUITABLE, and the error names the suitable kinds. If that is unknown, synthesis
   * gives the warning WARN_MAY_MANAGE_UNKNOWN.
   *
   * @see docs/api/product-areas.md
   * @example web.assertMayManage(ProductArea.CLOUD_DATABASES);
   */
  assertMayManage(area: ProductArea): void;
}

/**
 * The common part of the token constructs: the object below the construct, its references and its
 * checks. Not public; {@link IAuthenticationToken} documents the members.
 */
export abstract class AuthenticationToken extends Construct implements IAuthenticationToken {
  readonly kind: TokenKind;
  // Not a property of the constructor's parameter: the other languages would lack it.
  readonly resolution: TokenResolution;
  private readonly object: TokenObject;

  /** @param declare checks the properties, and throws */
  protected constructor(
    scope: Construct,
    id: string,
    props: { readonly resolution?: TokenResolution },
    declare: (token: AuthenticationToken, resolution: TokenResolution) => TokenDeclaration,
  ) {
    super(scope, id);
    const provider = EmbeddedProvider._for(this, props);
    const resolution = props.resolution ?? TokenResolution.ephemeral();
    this.resolution = resolution;
    const declaration = withPath(this, () => declare(this, resolution));
    this.kind = declaration.kind;
    this.object = declareToken(this, declaration, provider._registry, (path) =>
      provider._filePath(path),
    );
    if (declaration.resolution === "synth")
      this.node.addValidation({ validate: () => provider._lackOf(this.object) });
  }

  get headerName(): string {
    return headerNameOf(this.kind);
  }

  get value(): string {
    return this._attribute("token");
  }

  get headers(): { [name: string]: string } {
    return { [this.headerName]: this.value };
  }

  get issuedAt(): string {
    return this.fact("issued_at");
  }

  get expiresAt(): string {
    return this.fact("expires_at");
  }

  get fingerprint(): string {
    return this.fact("fingerprint");
  }

  headersFor(url: string): { [name: string]: string } {
    this.assertDestination(url);
    return this.headers;
  }

  valueFor(url: string): string {
    this.assertDestination(url);
    return this.value;
  }

  environment(name: string): { [name: string]: string } {
    withPath(this, () => assertKind("The argument of environment", name, VARIABLE));
    return { [name]: this.value, [`${name}_HEADER`]: this.headerName };
  }

  assertMayManage(area: ProductArea): void {
    const doubt = withPath(this, () => assertArea(this.kind, area));
    if (doubt !== undefined) warnOnce(this, "WARN_MAY_MANAGE_UNKNOWN", doubt);
  }

  /** The address of the token's block in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.object.element.fqn;
  }

  private assertDestination(url: string): void {
    withPath(this, () => assertKnownDestination(url, this.object.baseUrl));
  }

  /** An attribute that only IAM tokens have. */
  private fact(name: string): string {
    if (this.kind !== TokenKind.STATIC_TOKEN) return this._attribute(name);
    return Token.asString(NULL);
  }

  /** A reference to an attribute of the token's block. @internal */
  _attribute(name: string, key?: string): string {
    return Token.asString(this.object.attribute(name, key));
  }

  /** A reference to an attribute that is a number. @internal */
  _numberAttribute(name: string): number {
    return Token.asNumber(this.object.attribute(name));
  }
}

/** Checks an address that the program must know. */
function assertKnownDestination(url: string, baseUrl: string | undefined): void {
  for (const [what, given] of Object.entries({ "The base address": baseUrl, "The address": url }))
    if (isUnresolved(given))
      throw new IamTokensError(
        "ERR_ADDRESS_INVALID",
        `${what} is a Terraform expression, which synthesis cannot check.`,
        {
          remedy:
            "Give destinations: [address] to the token, and use its headers or value: the provider checks the address.",
        },
      );
  if (typeof url !== "string")
    throw new IamTokensError("ERR_ADDRESS_INVALID", `The address is ${received(url)}.`);
  assertDestination(url, baseUrl === undefined ? undefined : parseBaseUrl(baseUrl));
}
