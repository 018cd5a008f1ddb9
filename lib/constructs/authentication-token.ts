import type { ITerraformDependable } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { headerNameOf } from "../tokens";
import { warnOnce } from "./blocks/annotate";
import type { BlockArguments } from "./blocks/block";
import { DestinationSet, destinationId } from "./blocks/destination-set";
import type { StackRegistry } from "./blocks/registry";
import { TokenObject } from "./blocks/token-object";
import { EmbeddedProvider } from "./embedded-provider";
import { type BaseUrlRule, checkDestination } from "./props/destinations";
import { isExpression } from "./props/expression";
import { Mistakes } from "./props/mistakes";
import { checkVariableName } from "./props/texts";
import {
  checkMayManage,
  type MayManage,
  mayManageArea,
  type ProductArea,
} from "./values/product-area";
import type { TokenKind } from "./values/token-kind";
import type { TokenResolution } from "./values/token-resolution";

/**
 * A token for requests to the product APIs, as a stack declares it: a {@link ServiceUserToken} or a
 * {@link StaticTokenRef}. Its value is not known to the program: what it hands out are references
 * that Terraform resolves.
 *
 * It can be depended on: `dependsOn: [token]`.
 */
export interface IAuthenticationToken extends IConstruct, ITerraformDependable {
  /** The token's kind, by the service's identifiers. @see spec, "Token kinds" */
  readonly kind: TokenKind;
  /** How the token reaches what uses it. */
  readonly resolution: TokenResolution;
  /**
   * The request header that the token is sent in: `X-Auth-Token` for IAM tokens, `X-Token` for
   * static ones. @see spec, "Authentication"
   */
  readonly headerName: string;
  /** The token itself, sensitive. */
  readonly value: string;
  /**
   * The header with the token, as a map: what a provider or a request takes as its headers.
   * Sensitive.
   */
  readonly headers: { [name: string]: string };
  /**
   * The token for a command that a provisioner runs: `NAME` has the token, `NAME_HEADER` the name
   * of the header to send it in.
   *
   * @param name of the variable: letters, digits and `_`, not beginning with a digit;
   * ERR_NAME_INVALID otherwise
   * @example
   * // printf is a part of the shell, and curl reads the header from its input: `ps` shows neither.
   * const command = 'printf "%s: %s" "$API_HEADER" "$API" | curl --fail -H @-
   * https://api.example.com/servers'; new DataResource(this, "call", { provisioners: [{ type:
   * "local-exec", command, environment: web.environment("API") }] });
   */
  environment(name: string): { [name: string]: string };
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
  headersFor(url: string): { [name: string]: string };
  /** The token itself for a request to this address; sensitive. Otherwise as `headersFor`. */
  valueFor(url: string): string;
  /**
   * Whether the token may manage an area. `MayManage.UNKNOWN`, where the spec does not show it, is
   * neither yes nor no.
   *
   * @see spec, "What each token kind manages"
   */
  mayManage(area: ProductArea): MayManage;
  /**
   * Says what the token is for. Reported when the program is synthesized: ERR_KIND_UNSUITABLE, with
   * the kinds that may, when it may not manage the area; a warning when that is not known.
   *
   * @example token.assertMayManage(ProductArea.CLOUD_DATABASES);
   */
  assertMayManage(area: ProductArea): void;
}

const BRAND = Symbol.for("cdktf-iam-tokens/AuthenticationToken");

/** What a token is declared with, as it was checked. */
export interface TokenDeclaration {
  readonly kind: TokenKind;
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: TokenResolution;
  /** Whether a token of `TokenResolution.SYNTH` may stand in plan and state. */
  readonly allowInState: boolean;
  /** Made when the block is written. */
  readonly arguments: () => BlockArguments;
  /** What the addresses that the token is for are checked against. */
  readonly baseUrl: BaseUrlRule;
  /** What is found out only when the program is synthesized. */
  readonly lateMistakes?: () => readonly string[];
}

/**
 * What the token constructs have in common: the object below the construct, its references, and its
 * checks. No program sees it: {@link IAuthenticationToken} is for that, and says what the members
 * are.
 */
export abstract class AuthenticationToken extends Construct implements IAuthenticationToken {
  /**
   * By a brand and not by instanceof: two copies of the package in one program know each other's.
   * @internal
   */
  static _isToken(value: unknown): value is IAuthenticationToken {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  readonly kind: TokenKind;
  readonly resolution: TokenResolution;
  /** @internal */
  readonly _mistakes = new Mistakes();
  private readonly registry: StackRegistry;
  private readonly declaration: TokenDeclaration;
  private readonly main: TokenObject;
  private readonly destinations = new Map<string, DestinationSet>();
  private readonly others = new Map<string, TokenObject>();

  /** @param declare checks the properties; what is wrong goes into the mistakes */
  protected constructor(
    scope: Construct,
    id: string,
    declare: (token: Construct, mistakes: Mistakes) => TokenDeclaration,
  ) {
    super(scope, id);
    Object.defineProperty(this, BRAND, { value: true });
    this.declaration = declare(this, this._mistakes);
    this.kind = this.declaration.kind;
    this.resolution = this.declaration.resolution;
    this.registry = EmbeddedProvider.of(this)._registry;
    // With this id the object is named after the token.
    this.main = this.object("Default", this.declaration.arguments);
    this.node.addValidation({
      validate: () => [...this.mistakes(), ...this.registry.findingsFor(this)],
    });
  }

  get headerName(): string {
    return headerNameOf(this.kind);
  }

  get value(): string {
    return this.main.value;
  }

  get headers(): { [name: string]: string } {
    return this.main.headers;
  }

  headersFor(url: string): { [name: string]: string } {
    return this.forDestination(url).headers;
  }

  valueFor(url: string): string {
    return this.forDestination(url).value;
  }

  environment(name: string): { [name: string]: string } {
    if (checkVariableName("environment", name, this._mistakes) === undefined) return {};
    return { [name]: this.value, [`${name}_HEADER`]: this.headerName };
  }

  mayManage(area: ProductArea): MayManage {
    return mayManageArea(this.kind, area, this._mistakes);
  }

  assertMayManage(area: ProductArea): void {
    const doubt = checkMayManage(this.kind, area, this._mistakes);
    if (doubt !== undefined) warnOnce(this, doubt);
  }

  /** The address of the token's block in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.main.fqn;
  }

  /** A reference to an attribute of the token's block. @internal */
  _attribute(name: string): string {
    return this.main.attribute(name);
  }

  /** A reference to an attribute that is a number. @internal */
  _numberAttribute(name: string): number {
    return this.main.numberAttribute(name);
  }

  /**
   * A further object of the same declaration, with other arguments laid over: for a use that must
   * not change what other users of the token depend on. Credential and scope are the same, so both
   * come from one request.
   *
   * @param id below the token; the same id is the same object, with the arguments that were given
   * first
   * @internal
   */
  _also(id: string, more: BlockArguments): TokenObject {
    const known = this.others.get(id);
    if (known !== undefined) return known;
    const object = this.object(id, () => ({ ...this.declaration.arguments(), ...more }));
    this.others.set(id, object);
    return object;
  }

  /**
   * The object for an address: the token's own for one that is known and may be; else one of its
   * own, which Terraform checks. It is named after the expression, so that asking again for the
   * same gives the same.
   */
  private forDestination(url: unknown): TokenObject {
    const rule = this.declaration.baseUrl;
    const known = !isExpression(url);
    if (known && !checkDestination(url, rule, this._mistakes)) {
      // It leads to what Terraform refuses too: validations can be skipped.
      return this._also("refused", { destinations: ["(refused)"] });
    }
    if (known && !rule.isExpression) return this.main;
    const id = destinationId(url, this);
    const destinations = this.destinations.get(id) ?? new DestinationSet();
    this.destinations.set(id, destinations);
    destinations.add(url);
    return this._also(id, { destinations });
  }

  private object(id: string, given: () => BlockArguments): TokenObject {
    const { headerName, registry } = this;
    const mistakes = () => this.mistakes();
    return new TokenObject(
      this,
      id,
      { ...this.declaration, headerName, arguments: given, mistakes },
      registry,
    );
  }

  private mistakes(): readonly string[] {
    return [...this._mistakes.messages, ...(this.declaration.lateMistakes?.() ?? [])];
  }
}
