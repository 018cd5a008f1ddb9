import type { Construct } from "constructs";
import type { IAuthenticationToken } from "./authentication-token";
import { brandToken } from "./authentication-token";
import type { BlockArguments } from "./blocks/block";
import { DestinationSet, destinationId } from "./blocks/destination-set";
import { TokenObject } from "./blocks/token-object";
import { wayOf } from "./blocks/token-ways";
import { EmbeddedProvider } from "./embedded-provider";
import type { MayManage } from "./may-manage";
import type { BaseUrlRule } from "./props/destinations";
import { checkDestination, UNRESTRICTED } from "./props/destinations";
import { checkVariableName } from "./props/environment";
import { isExpression } from "./props/expression";
import type { Mistakes } from "./props/mistakes";
import { checkMayManage, mayManageArea } from "./props/product-area";
import { shown } from "./props/shown";
import type { StackRegistry } from "./survey/registry";
import { TokenResolution } from "./token-resolution";

/** What a kind of token is declared with. */
export interface TokenDeclaration {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: TokenResolution;
  /** Whether a token of `TokenResolution.SYNTH` may stand in plan and state. */
  readonly allowInState?: boolean | undefined;
  /** Made when the block is written. */
  readonly arguments: () => BlockArguments;
  /** What the addresses that the token is for are checked against. By default any may be. */
  readonly baseUrl?: BaseUrlRule;
  /** What is wrong with the properties. */
  readonly mistakes: Mistakes;
  /** What is found out only when the program is synthesized. */
  readonly lateMistakes?: () => readonly string[];
}

/**
 * What the token constructs have in common: the object below the construct, its references, and its
 * checks.
 */
export class DeclaredToken {
  private readonly registry: StackRegistry;
  private readonly main: TokenObject;
  private readonly destinations = new Map<string, DestinationSet>();
  private readonly others = new Map<string, TokenObject>();

  /**
   * @param token the construct, which gets the object as a child: with the id Default, so that the
   * object is named after the construct
   */
  constructor(
    private readonly token: Construct & IAuthenticationToken,
    private readonly declaration: TokenDeclaration,
  ) {
    brandToken(token);
    this.registry = EmbeddedProvider.of(token)._registry;
    this.main = this.declare("Default", declaration.arguments);
    token.node.addValidation({
      validate: () => [...this.mistakes(), ...this.registry.findingsFor(token)],
    });
  }

  /** The address of the object in Terraform. */
  get fqn(): string {
    return this.main.fqn;
  }

  /** The header with the token, in a form whose name cdktf leaves alone everywhere. */
  get headers(): { [name: string]: string } {
    return this.main.headers;
  }

  /** The token and the name of its header, as variables of a command's environment. */
  environment(name: string): { [name: string]: string } {
    if (checkVariableName("environment", name, this.declaration.mistakes) === undefined) return {};
    return { [name]: this.attribute("token"), [`${name}_HEADER`]: this.token.headerName };
  }

  /** A reference to an attribute of the object. */
  attribute(name: string): string {
    return this.main.attribute(name);
  }

  /** A reference to an attribute of the object that is a number. */
  numberAttribute(name: string): number {
    return this.main.numberAttribute(name);
  }

  /** Whether the token may manage an area. */
  mayManage(area: unknown): MayManage {
    return mayManageArea(this.token, area, this.declaration.mistakes);
  }

  /** Takes note of an area that the token has to be able to manage. */
  assertMayManage(area: unknown): void {
    checkMayManage(this.token, area, this.declaration.mistakes);
  }

  /**
   * The object for an address: the token's own for one that is known and may be; else one of its
   * own, which Terraform checks. It is named after the expression, so that asking again for the
   * same gives the same.
   */
  forDestination(url: unknown): TokenObject {
    const rule = this.declaration.baseUrl ?? UNRESTRICTED;
    const known = !isExpression(url);
    if (known && !checkDestination(url, rule, this.declaration.mistakes)) {
      // It leads to what Terraform refuses too: validations can be skipped.
      return this.also("refused", { destinations: ["(refused)"] });
    }
    if (known && !rule.isExpression) return this.main;
    const id = destinationId(url, this.token);
    const destinations = this.destinations.get(id) ?? new DestinationSet();
    this.destinations.set(id, destinations);
    destinations.add(url);
    return this.also(id, { destinations });
  }

  /**
   * A further object of the same declaration, with other arguments laid over: for a use that must
   * not change what other users of the token depend on. Credential and scope are the same, so both
   * come from one request.
   *
   * @param id below the token; the same id is the same object, with the arguments that were given
   * first
   */
  also(id: string, more: BlockArguments): TokenObject {
    const known = this.others.get(id);
    if (known !== undefined) return known;
    const object = this.declare(id, () => ({ ...this.declaration.arguments(), ...more }));
    this.others.set(id, object);
    return object;
  }

  private mistakes(): readonly string[] {
    return [...this.declaration.mistakes.messages, ...(this.declaration.lateMistakes?.() ?? [])];
  }

  private declare(id: string, given: () => BlockArguments): TokenObject {
    const { blockType, resolution, allowInState } = this.declaration;
    const { headerName } = this.token;
    return new TokenObject(
      this.token,
      id,
      {
        blockType,
        way: wayOf(resolution, allowInState),
        headerName,
        arguments: given,
        mistakes: () => this.mistakes(),
      },
      this.registry,
    );
  }
}

/** The ways of a static token, which has no expiry that it could be rotated ahead of. */
export const STATIC_TOKEN_WAYS = [
  TokenResolution.EPHEMERAL,
  TokenResolution.DATA,
  TokenResolution.SYNTH,
];

/** The way that a user chose; ephemeral when none was, or a wrong one. */
export function checkResolution(
  value: unknown,
  mistakes: Mistakes,
  ways: readonly TokenResolution[] = Object.values(TokenResolution),
): TokenResolution {
  const chosen =
    value === undefined ? TokenResolution.EPHEMERAL : ways.find((way) => way === value);
  if (chosen !== undefined) return chosen;
  mistakes.add("ERR_PROP_INVALID", `resolution is ${shown(value)}.`, {
    allowed: ways.map((way) => `TokenResolution.${way.toUpperCase()}`).join(", "),
    ...(value === TokenResolution.ROTATING
      ? { remedy: "A static token does not expire: there is nothing to rotate." }
      : {}),
  });
  return TokenResolution.EPHEMERAL;
}
