import type { ITerraformDependable } from "cdktf";
import { TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";
import { headerNameOf } from "../tokens";
import type { Mistakes } from "./checks/mistakes";
import { shown } from "./checks/shown";
import type { BlockArguments } from "./elements/block";
import { DataBlock } from "./elements/data-block";
import { EphemeralBlock } from "./elements/ephemeral-block";
import { headerMap } from "./elements/header-map";
import { TokenReference } from "./elements/token-reference";
import { EmbeddedProvider } from "./embedded-provider";
import type { TokenRecord } from "./survey/registry";
import type { TokenKind } from "./token-kind";
import { TokenResolution } from "./token-resolution";

const BRAND = Symbol.for("cdktf-iam-tokens/AuthenticationToken");

/** What a kind of token hands to the base class. @internal */
export interface TokenDeclaration {
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly kind: TokenKind;
  /** As the user gave it. */
  readonly resolution: unknown;
  /** Called with the way that was chosen, when the block is written. */
  readonly arguments: () => BlockArguments;
  /** Collects what is wrong with the properties. */
  readonly mistakes: Mistakes;
  /** What can be told only when the program is synthesized. */
  readonly lateMistakes?: () => readonly string[];
}

/**
 * A token for requests to the product APIs, as a stack declares it. Its value is not known to the program: what it hands out are
 * references that Terraform resolves.
 *
 * It can be depended on: `dependsOn: [token]`.
 */
export abstract class AuthenticationToken extends Construct implements ITerraformDependable {
  /** By a brand and not by instanceof. @internal */
  static _is(value: unknown): value is AuthenticationToken {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** The token's kind, by the service's identifiers. */
  readonly kind: TokenKind;
  /** The request header that the token is sent in: `X-Auth-Token` for IAM tokens, `X-Token` for static ones. @see spec, "Authentication" */
  readonly headerName: string;
  /** How the token reaches what uses it. */
  readonly resolution: TokenResolution;
  private readonly record: TokenRecord;
  private readonly block: EphemeralBlock | DataBlock;

  /** @internal */
  protected constructor(scope: Construct, id: string, declaration: TokenDeclaration) {
    super(scope, id);
    Object.defineProperty(this, BRAND, { value: true });
    const { blockType, mistakes } = declaration;
    this.kind = declaration.kind;
    this.headerName = headerNameOf(declaration.kind);
    this.resolution = checkResolution(declaration.resolution, mistakes);
    const ephemeral = this.resolution === TokenResolution.EPHEMERAL;
    const registry = EmbeddedProvider.of(this)._registry;
    this.record = {
      construct: this,
      blockType,
      ephemeral,
      terraformName: () => this.block.friendlyUniqueId,
      foreignStacks: new Set(),
    };
    registry.tokens.push(this.record);
    const options = { type: blockType, arguments: declaration.arguments, record: this.record };
    this.block = ephemeral ? new EphemeralBlock(this, "Default", options) : new DataBlock(this, "Default", options);
    this.node.addValidation({
      validate: () => [...mistakes.messages, ...(declaration.lateMistakes?.() ?? []), ...registry.findingsFor(this)],
    });
  }

  /** The token itself, sensitive. */
  get value(): string {
    return this.attribute("token");
  }

  /** The header with the token, as a map: what a provider or a request takes as its headers. Sensitive. */
  get headers(): { [name: string]: string } {
    return headerMap(this.headerName, this.value);
  }

  /** The address of the token's block in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.block.fqn;
  }

  /** A reference to an attribute of the token's block. @internal */
  protected attribute(name: string): string {
    return Token.asString(new TokenReference(this.record, TerraformStack.of(this), name));
  }
}

/** Names of ways that a later version has, so that the message can say so. */
const NOT_BUILT_YET = ["synth", "rotating"];

function checkResolution(value: unknown, mistakes: Mistakes): TokenResolution {
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
