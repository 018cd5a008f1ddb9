import type { TerraformElement } from "cdktf";
import { TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import { noteForeignUse } from "../survey/foreign-uses";
import type { StackRegistry, TokenRecord } from "../survey/registry";
import type { BlockArguments } from "./block";
import { headerMap } from "./header-map";
import { TokenReference } from "./token-reference";
import type { TokenWay } from "./token-way";

/** What an object of a token is declared with. */
export interface TokenObjectDeclaration {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly way: TokenWay;
  /** The name of the header that the token is sent in. */
  readonly headerName: string;
  /** Made when the object is written. */
  readonly arguments: () => BlockArguments;
  /** What is wrong with the declaration. */
  readonly mistakes: () => readonly string[];
}

/** One object of Terraform from which a token comes, and the references to it. */
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
    const { blockType, way } = declaration;
    const terraformName = (): string => this.element.friendlyUniqueId;
    this.record = {
      construct: token,
      blockType,
      resolution: way.resolution,
      arguments: declaration.arguments,
      mistakes: declaration.mistakes,
      asked: new Set(),
      ephemeral: way.ephemeral,
      terraformName,
      address: (attribute) => way.address(blockType, terraformName(), attribute),
      foreignStacks: new Set(),
      usedIn: (stack) => noteForeignUse(this.record, stack),
    };
    registry.tokens.push(this.record);
    this.element = way.declare(token, id, {
      type: blockType,
      arguments: declaration.arguments,
      record: this.record,
    });
  }

  /** The object's address in Terraform. */
  get fqn(): string {
    return this.element.fqn;
  }

  /** The token itself. */
  get value(): string {
    return this.attribute("token");
  }

  /** The header with the token, in a form whose name cdktf leaves alone everywhere. */
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
