import { dependable, type TerraformElement, TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import type { FilePath } from "../blocks/arguments";
import { Block } from "../blocks/block";
import { nameReopened } from "../blocks/reopening";
import { TokenResolution } from "../values/token";
import type { StackRegistry, TokenDeclaration, TokenRecord } from "./registry";
import { TokenReference } from "./token-reference";
import { TokenVariable } from "./variables";

/** The sections of Terraform that bring a token to its consumers. */
const SECTIONS = {
  [TokenResolution.EPHEMERAL]: "ephemeral",
  [TokenResolution.DATA]: "data",
  [TokenResolution.ROTATING]: "resource",
} as const;

/** A Terraform object that provides a token, and the references to it. */
export interface TokenObject extends TokenRecord {
  readonly element: TerraformElement;
  /** A reference to an attribute of the object. */
  attribute(name: string): TokenReference;
}

/**
 * Declares the object below the token, in whose name it is.
 *
 * @param file the path of a file, as Terraform will read it
 */
export function declareToken(
  construct: Construct,
  declaration: TokenDeclaration,
  registry: StackRegistry,
  file: FilePath,
): TokenObject {
  const { blockType, resolution, allowInState, identity } = declaration;
  const isSynth = resolution === TokenResolution.SYNTH;
  const asked = new Set<string>();
  const ephemeral = isSynth ? !allowInState : resolution === TokenResolution.EPHEMERAL;
  // Ours, even to the object as a whole: cdktf's would copy it into another stack's state.
  const reference = (attribute?: string): TokenReference =>
    new TokenReference(object, TerraformStack.of(construct), attribute);
  const whole = (): string => Token.asString(reference());
  // With this id, the element gets the token's name.
  const element = isSynth
    ? new TokenVariable(construct, "Default", { asked }, ephemeral, whole)
    : new Block(construct, "Default", {
        section: SECTIONS[resolution],
        blockType,
        arguments: () => ({
          provider: identity?.configuration,
          ...declaration.arguments(file),
          depends_on: declaration.dependsOn?.map(dependable),
        }),
        reference: whole,
      });
  nameReopened(element, construct);
  const object: TokenObject = {
    ...declaration,
    construct,
    asked,
    ephemeral,
    element,
    terraformName: () => element.friendlyUniqueId,
    address: (attribute) => element.address(attribute),
    attribute(name) {
      asked.add(name);
      return reference(name);
    },
  };
  registry.tokens.push(object);
  identity?.tokens.push(object);
  return object;
}
