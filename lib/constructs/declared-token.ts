import { TerraformStack, Token } from "cdktf";
import type { Construct } from "constructs";
import type { IAuthenticationToken } from "./authentication-token";
import { brandToken } from "./authentication-token";
import type { Mistakes } from "./checks/mistakes";
import { shown } from "./checks/shown";
import type { BlockArguments } from "./elements/block";
import { DataBlock } from "./elements/data-block";
import { EphemeralBlock } from "./elements/ephemeral-block";
import { headerMap } from "./elements/header-map";
import { TokenReference } from "./elements/token-reference";
import { EmbeddedProvider } from "./embedded-provider";
import type { TokenRecord } from "./survey/registry";
import { TokenResolution } from "./token-resolution";

/** What a kind of token is declared with. */
export interface TokenDeclaration {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: TokenResolution;
  /** Made when the block is written. */
  readonly arguments: () => BlockArguments;
  /** What is wrong with the properties. */
  readonly mistakes: Mistakes;
  /** What is found out only when the program is synthesized. */
  readonly lateMistakes?: () => readonly string[];
}

/** What the token constructs have in common: the block below the construct, its references, and its checks. */
export class DeclaredToken {
  private readonly record: TokenRecord;
  private readonly block: EphemeralBlock | DataBlock;

  /** @param token the construct, which gets the block as a child: with the id Default, so that the block is named after the construct */
  constructor(
    private readonly token: Construct & IAuthenticationToken,
    { blockType, resolution, mistakes, lateMistakes, arguments: blockArguments }: TokenDeclaration,
  ) {
    brandToken(token);
    const ephemeral = resolution === TokenResolution.EPHEMERAL;
    const registry = EmbeddedProvider.of(token)._registry;
    this.record = {
      construct: token,
      blockType,
      ephemeral,
      terraformName: () => this.block.friendlyUniqueId,
      foreignStacks: new Set(),
    };
    registry.tokens.push(this.record);
    const options = { type: blockType, arguments: blockArguments, record: this.record };
    this.block = ephemeral ? new EphemeralBlock(token, "Default", options) : new DataBlock(token, "Default", options);
    token.node.addValidation({
      validate: () => [...mistakes.messages, ...(lateMistakes?.() ?? []), ...registry.findingsFor(token)],
    });
  }

  /** The address of the block in Terraform. */
  get fqn(): string {
    return this.block.fqn;
  }

  /** The header with the token, in a form whose name cdktf leaves alone everywhere. */
  get headers(): { [name: string]: string } {
    return headerMap(this.token.headerName, this.attribute("token"));
  }

  /** A reference to an attribute of the block. */
  attribute(name: string): string {
    return Token.asString(new TokenReference(this.record, TerraformStack.of(this.token), name));
  }
}

/** Names of ways that a later version has, so that the message can say so. */
const NOT_BUILT_YET = ["synth", "rotating"];

/** The way that a user chose; ephemeral when none was, or a wrong one. */
export function checkResolution(value: unknown, mistakes: Mistakes): TokenResolution {
  if (value === undefined || value === TokenResolution.EPHEMERAL) return TokenResolution.EPHEMERAL;
  if (value === TokenResolution.DATA) return TokenResolution.DATA;
  const allowed = "TokenResolution.EPHEMERAL, TokenResolution.DATA";
  if (typeof value === "string" && NOT_BUILT_YET.includes(value.toLowerCase())) {
    mistakes.add("ERR_NOT_BUILT_YET", `resolution: ${shown(value)} is not built in this version.`, {
      allowed,
      remedy: "Choose another way.",
    });
  } else {
    mistakes.add("ERR_PROP_INVALID", `resolution is ${shown(value)}.`, { allowed });
  }
  return TokenResolution.EPHEMERAL;
}
