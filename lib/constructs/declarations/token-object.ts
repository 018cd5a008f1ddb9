import { type TerraformElement, TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import type { BlockArguments } from "../blocks/block";
import { Block } from "../blocks/block";
import { nameReopened } from "../blocks/reopening";
import { TokenResolution } from "../values/token";
import type { StackRegistry, TokenRecord } from "./registry";
import { TokenReference } from "./token-reference";
import { detailsVariable, TokenVariable, tokenVariable } from "./variables";

/** The sections of Terraform that bring a token to its consumers. */
const SECTIONS = {
  [TokenResolution.EPHEMERAL]: "ephemeral",
  [TokenResolution.DATA]: "data",
  [TokenResolution.ROTATING]: "resource",
} as const;

/** Declaration of a token's object. */
interface TokenObjectDeclaration {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: TokenResolution;
  /** Whether a token of `TokenResolution.SYNTH` may be in plan and state. */
  readonly allowInState: boolean;
  /** Called when the object is written. */
  readonly arguments: () => BlockArguments;
  readonly baseUrl: string | undefined;
}

/** A Terraform object that provides a token, and the references to it. */
export class TokenObject implements TokenRecord {
  readonly blockType: string;
  readonly resolution: TokenResolution;
  readonly ephemeral: boolean;
  readonly arguments: () => BlockArguments;
  readonly baseUrl: string | undefined;
  readonly asked = new Set<string>();
  private readonly element: TerraformElement;

  constructor(
    readonly construct: Construct,
    { blockType, resolution, allowInState, baseUrl, arguments: given }: TokenObjectDeclaration,
    registry: StackRegistry,
  ) {
    this.blockType = blockType;
    this.resolution = resolution;
    this.arguments = given;
    this.baseUrl = baseUrl;
    this.ephemeral =
      resolution === TokenResolution.EPHEMERAL ||
      (resolution === TokenResolution.SYNTH && !allowInState);
    registry.tokens.push(this);
    // With this id, the element gets the token's name.
    const id = "Default";
    const reference = (): string => Token.asString(this.reference(undefined));
    this.element =
      resolution === TokenResolution.SYNTH
        ? new TokenVariable(construct, id, this, reference)
        : new Block(construct, id, {
            section: SECTIONS[resolution],
            blockType,
            arguments: given,
            reference,
          });
    nameReopened(this.element, construct);
  }

  get fqn(): string {
    return this.element.fqn;
  }

  terraformName(): string {
    return this.element.friendlyUniqueId;
  }

  address(attribute?: string): string {
    const name = this.terraformName();
    if (this.resolution === TokenResolution.SYNTH)
      return attribute === undefined || attribute === "token"
        ? `var.${tokenVariable(name)}`
        : `var.${detailsVariable(name)}.${attribute}`;
    const section = SECTIONS[this.resolution];
    return [section === "resource" ? undefined : section, this.blockType, name, attribute]
      .filter((part) => part !== undefined)
      .join(".");
  }

  /** A reference to an attribute of the object. */
  attribute(name: string): TokenReference {
    this.asked.add(name);
    return this.reference(name);
  }

  /** Ours, even to the object as a whole: cdktf's would copy it into another stack's state. */
  private reference(attribute: string | undefined): TokenReference {
    return new TokenReference(this, TerraformStack.of(this.construct), attribute);
  }
}
