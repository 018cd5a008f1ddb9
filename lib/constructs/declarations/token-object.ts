import type { TerraformElement } from "cdktf";
import { TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import type { BlockArguments } from "../blocks/block";
import { nameReopened } from "../blocks/reopening";
import type { TokenResolution } from "../values/token-resolution";
import { headerMap } from "./header-map";
import type { StackRegistry, TokenRecord } from "./registry";
import { TokenReference } from "./token-reference";
import { wayOf } from "./token-ways";

/** Declaration of a token's object. */
interface TokenObjectDeclaration {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: TokenResolution;
  /** Whether a token of `TokenResolution.SYNTH` may be in plan and state. */
  readonly allowInState: boolean;
  /** The name of the header that the token is sent in. */
  readonly headerName: string;
  /** Called when the object is written. */
  readonly arguments: () => BlockArguments;
}

/** A Terraform object that provides a token, and the references to it. */
export class TokenObject {
  private readonly record: TokenRecord;
  private readonly element: TerraformElement;

  /** @param id below the token; with the id Default the object is named after the token */
  constructor(
    private readonly token: Construct,
    id: string,
    private readonly declaration: TokenObjectDeclaration,
    registry: StackRegistry,
  ) {
    const { blockType, resolution, arguments: given } = declaration;
    const way = wayOf(resolution, declaration.allowInState);
    const terraformName = (): string => this.element.friendlyUniqueId;
    this.record = {
      construct: token,
      blockType,
      resolution,
      arguments: given,
      asked: new Set(),
      ephemeral: way.ephemeral,
      terraformName,
      address: (attribute) => way.address(blockType, terraformName(), attribute),
    };
    registry.tokens.push(this.record);
    this.element = new way.element(token, id, this.record);
    nameReopened(this.element, token);
  }

  /** The object's address in Terraform. */
  get fqn(): string {
    return this.element.fqn;
  }

  /** The token itself. */
  get value(): string {
    return this.attribute("token");
  }

  /** The header with the token, in a form in which cdktf always keeps the header's name. */
  get headers(): { [name: string]: string } {
    return headerMap(this.declaration.headerName, this.value);
  }

  /** A reference to an attribute of the object. */
  attribute(name: string): string {
    return Token.asString(this.reference(name));
  }

  /** A reference to an attribute that is a number. */
  numberAttribute(name: string): number {
    return Token.asNumber(this.reference(name));
  }

  private reference(name: string): TokenReference {
    this.record.asked.add(name);
    return new TokenReference(this.record, TerraformStack.of(this.token), name);
  }
}
