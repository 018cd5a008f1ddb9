import type { ITerraformDependable } from "cdktf";
import type { IConstruct } from "constructs";
import type { MayManage } from "./may-manage";
import type { ProductArea } from "./product-area";
import type { TokenKind } from "./token-kind";
import type { TokenResolution } from "./token-resolution";

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
   */
  environment(name: string): { [name: string]: string };
  /**
   * The header with the token for a request to this address: checked against the base address.
   * Sensitive.
   */
  headersFor(url: string): { [name: string]: string };
  /**
   * The token itself for a request to this address: checked against the base address. Sensitive.
   */
  valueFor(url: string): string;
  /** Whether the token may manage an area, as far as the service's description says. */
  mayManage(area: ProductArea): MayManage;
  /**
   * Refuses the token, when the program is synthesized, where it may not manage an area; warns
   * where that is not documented.
   */
  assertMayManage(area: ProductArea): void;
}

const BRAND = Symbol.for("cdktf-iam-tokens/AuthenticationToken");

/**
 * Marks a construct as a token of ours: two copies of the package in one program know each other's.
 * @internal
 */
export function brandToken(token: IAuthenticationToken): void {
  Object.defineProperty(token, BRAND, { value: true });
}

/** @internal */
export function isAuthenticationToken(value: unknown): value is IAuthenticationToken {
  return typeof value === "object" && value !== null && BRAND in value;
}
