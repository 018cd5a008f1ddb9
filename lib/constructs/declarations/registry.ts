import type { ITerraformDependable, ITerraformIterator } from "cdktf";
import type { IConstruct } from "constructs";
import type { BlockArguments, FilePath } from "../blocks/arguments";
import type { TokenKind } from "../values/token";

/** How consumers get a token. */
export type Resolution = "ephemeral" | "data" | "rotating" | "synth";

/** The declaration of a token, after its checks. */
export interface TokenDeclaration {
  readonly kind: TokenKind;
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: Resolution;
  /** Whether the token may be in plan and state. */
  readonly isInState: boolean;
  /** The service that issues it; none for a static token. */
  readonly identity?: IdentityRecord;
  /** The elements that its block depends on. */
  readonly dependsOn?: readonly ITerraformDependable[];
  /** The elements of a list or map that there is a token for each of. */
  readonly forEach?: ITerraformIterator;
  /** Arguments of the object, by the provider's names; called when it is written. */
  readonly arguments: (file: FilePath) => BlockArguments;
  /** The base address of its destinations. */
  readonly baseUrl: string | undefined;
}

/** The object that was declared for a token. */
export interface TokenRecord extends TokenDeclaration {
  /** The token. */
  readonly construct: IConstruct;
  /** The attributes that the program refers to. */
  readonly attributesUsed: Set<string>;
  /** The object's name in the stack. Read late, because `overrideLogicalId` may change it. */
  terraformName(): string;
  /**
   * How Terraform refers to an attribute of the object, or to the object as a whole; without `${}`.
   *
   * @param key of the element of `forEach`; by default, the one that is looked at
   */
  address(attribute?: string, key?: string): string;
}

/** Record of a declared identity service. */
export interface IdentityRecord {
  readonly construct: IConstruct;
  /** As `provider` takes it in Terraform. */
  readonly configuration: string;
  /** Whether the provider looks up the credentials. */
  readonly isLookedUp: boolean;
  /** The tokens that it issues. */
  readonly tokens: TokenRecord[];
  /** Arguments of the provider block. */
  readonly arguments: (file: FilePath) => BlockArguments;
}

/** An error of a construct that only the survey of the whole stack finds. */
export type Finding = readonly [construct: IConstruct, message: string];

/** This package's declarations in one stack. */
export class StackRegistry {
  readonly tokens: TokenRecord[] = [];
  readonly identities: IdentityRecord[] = [];
  /** The outputs of tokens. */
  readonly outputs: IConstruct[] = [];
  /** Rotations: the provider stays for them alone. */
  readonly rotations: IConstruct[] = [];

  /** The tokens that are resolved before synthesis, and are still in the stack. */
  get synthTokens(): readonly TokenRecord[] {
    return this.tokens.filter(
      ({ construct, resolution }) => resolution === "synth" && isThere(construct),
    );
  }

  /**
   * Whether Terraform needs the provider here. Tokens that are resolved before synthesis do not
   * need it, nor does an identity service that only they use. One without tokens does: their
   * removal from the state is still to come.
   */
  get needsProvider(): boolean {
    return (
      this.rotations.length > 0 ||
      this.tokens.length === 0 ||
      this.tokens.some((token) => token.resolution !== "synth") ||
      this.identities.some((identity) => !isForSynthOnly(identity))
    );
  }
}

/** Whether a service is only for tokens that are resolved before synthesis. */
export function isForSynthOnly({ tokens }: IdentityRecord): boolean {
  return tokens.length > 0 && tokens.every(({ resolution }) => resolution === "synth");
}

/** Whether a construct is still in its tree: a program may have removed it since. */
export function isThere(construct: IConstruct): boolean {
  const { scope, id } = construct.node;
  return scope === undefined || (scope.node.tryFindChild(id) === construct && isThere(scope));
}
