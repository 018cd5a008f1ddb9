import { dependable, type TerraformElement, TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import type { FilePath } from "../blocks/arguments";
import { Block } from "../blocks/block";
import { forEachOf } from "../framework/internals";
import type { StackRegistry, TokenDeclaration, TokenRecord } from "./registry";
import { TokenReference } from "./token-reference";
import { TokenVariable } from "./variables";

/** The sections of Terraform that bring a token to its consumers. */
const SECTIONS = {
  ephemeral: "ephemeral",
  data: "data",
  rotating: "resource",
} as const;

/** A Terraform object that provides a token, and the references to it. */
export interface TokenObject extends TokenRecord {
  readonly element: TerraformElement;
  /** A reference to an attribute of the object. */
  attribute(name: string, key?: string): TokenReference;
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
  const { blockType, resolution, identity, forEach } = declaration;
  const attributesUsed = new Set<string>();
  // Ours, even to the object as a whole: cdktf's would copy it into another stack's state.
  const reference = (attribute?: string, key?: string): TokenReference =>
    new TokenReference(object, TerraformStack.of(construct), attribute, key);
  const whole = (): string => Token.asString(reference());
  // With this id, the element gets the token's name.
  const element =
    resolution === "synth"
      ? new TokenVariable(construct, "Default", { attributesUsed }, !declaration.isInState, whole)
      : new Block(construct, "Default", {
          section: SECTIONS[resolution],
          blockType,
          arguments: () => ({
            for_each: forEach && forEachOf(forEach),
            provider: identity?.configuration,
            ...declaration.arguments(file),
            depends_on: declaration.dependsOn?.map(dependable),
          }),
          isRepeated: forEach !== undefined,
          reference: whole,
        });
  const object: TokenObject = {
    ...declaration,
    construct,
    attributesUsed,
    element,
    terraformName: () => element.friendlyUniqueId,
    address: (attribute, key) => element.address(attribute, key),
    attribute(name, key) {
      attributesUsed.add(name);
      return reference(name, key);
    },
  };
  registry.tokens.push(object);
  identity?.tokens.push(object);
  return object;
}
