import type { TerraformOutput, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import type { IamTokensError, Secret } from "../../tokens";
import { TokenResolution } from "../values/token-resolution";
import { type BlockArguments, providerConfiguration } from "./block";

/**
 * What is known of an object that was declared for a token. A token has one, and more where a use
 * needs other arguments.
 */
export interface TokenRecord {
  /** The token. */
  readonly construct: IConstruct;
  /** `iam_token` or `iam_static_token`. */
  readonly blockType: string;
  readonly resolution: TokenResolution;
  /** What the object is written with, by the provider's names. */
  readonly arguments: () => BlockArguments;
  /** What is wrong with the token as it was declared. */
  readonly mistakes: () => readonly string[];
  /** The attributes that the program has asked references for. */
  readonly asked: Set<string>;
  /** Whether Terraform takes its values for ephemeral ones. */
  readonly ephemeral: boolean;
  /** The object's name in the stack. Late, as `overrideLogicalId` may change it. */
  readonly terraformName: () => string;
  /**
   * How Terraform refers to an attribute of the object, or to the object as a whole; without `${}`.
   */
  readonly address: (attribute?: string) => string;
  /** Stacks that were seen to resolve a reference to this token though it is not theirs. */
  readonly foreignStacks: Set<TerraformStack>;
  /** Takes note of such a stack. */
  readonly usedIn: (stack: TerraformStack) => void;
}

/** What is known of a declared identity service. */
interface IdentityRecord {
  readonly construct: IConstruct;
  readonly alias: () => string;
  /** What the provider's block is written with. */
  readonly arguments: () => BlockArguments;
  /** What is wrong with the service as it was declared. */
  readonly mistakes: () => readonly string[];
}

/** The outputs that a construct of ours declared. */
interface OutputsRecord {
  readonly construct: IConstruct;
  readonly outputs: readonly TerraformOutput[];
}

/** A token that was resolved before synthesis. */
export interface ResolvedToken {
  readonly token: Secret;
  /** What is known beside the token, by attribute; none for a static token. */
  readonly details: Readonly<Record<string, string>> | undefined;
}

/** What `resolveTokens` has left for the synthesis of a stack. */
interface ResolutionPass {
  /** Nothing was issued: what is there already stays, for a command that needs no token. */
  readonly skipped: boolean;
  /** Nothing was asked for, as nothing would have taken the values. */
  readonly unasked?: true;
  /** Whether the values are written beside the stack, as it is when this is asked. */
  readonly isWritten: () => boolean;
  /** By the token's record. */
  readonly values: ReadonlyMap<object, ResolvedToken>;
  /** What the user is to be told when the stack is synthesized. */
  readonly notes: () => readonly string[];
}

/** What is wrong with a construct, seen from the stack as a whole. */
export type Finding = readonly [construct: IConstruct, mistake: IamTokensError];

/** What one walk over a stack found. */
export interface Survey {
  /** Everything that was in the stack then. */
  readonly constructs: ReadonlySet<IConstruct>;
  /** Messages of mistakes, by construct. */
  readonly findings: ReadonlyMap<IConstruct, readonly string[]>;
}

/** Who walks over stacks, which the floors below do not know. */
interface Surveyor {
  survey(registry: StackRegistry): Survey;
  /** What a stack says of a token of another one that is used in it. */
  foreignUsesIn(stack: TerraformStack, token: TokenRecord): readonly string[];
}

/**
 * What this package declared in one stack, and what is wrong with it as a whole.
 *
 * The survey walks the whole stack, so it is made once for a validation pass and not once for each
 * construct. Nothing says when a pass begins; but in a pass each construct asks exactly once. So a
 * construct that asks again, or that the survey does not know, begins a new one.
 */
export class StackRegistry {
  readonly tokens: TokenRecord[] = [];
  readonly identities: IdentityRecord[] = [];
  readonly outputs: OutputsRecord[] = [];
  /** Aliases that are to stay without an identity service. */
  readonly keptAliases = new Set<string>();
  /** What the pass before synthesis has left here; nothing before it. */
  pass: ResolutionPass | undefined;
  private kept = false;
  private survey: Survey | undefined;
  private readonly asked = new Set<IConstruct>();

  constructor(private readonly surveyor: Surveyor) {}

  /** The provider stays, whatever else is declared. */
  keepProvider(): void {
    this.kept = true;
  }

  /**
   * Whether Terraform needs the provider here. Tokens that are resolved before synthesis do not,
   * nor does what only they use.
   */
  get needsProvider(): boolean {
    return (
      this.kept ||
      this.tokens.length === 0 ||
      this.tokens.some((token) => token.resolution !== TokenResolution.SYNTH)
    );
  }

  /**
   * Whether the configuration of this alias is there for tokens that are resolved before synthesis,
   * and for nothing else.
   */
  isForSynthOnly(alias: string): boolean {
    if (!this.tokens.some((token) => token.resolution === TokenResolution.SYNTH)) return false;
    const its = this.tokens.filter(
      (token) => token.arguments().provider === providerConfiguration(alias),
    );
    return its.length > 0 && its.every((token) => token.resolution === TokenResolution.SYNTH);
  }

  /**
   * Takes note of a stack that resolves a reference to a token though it is not its own. The stack
   * that uses it says so too: it may be validated first, and it may have nothing of ours that would
   * be asked.
   */
  noteForeignUse(token: TokenRecord, stack: TerraformStack): void {
    if (token.foreignStacks.has(stack)) return;
    token.foreignStacks.add(stack);
    stack.node.addValidation({ validate: () => [...this.surveyor.foreignUsesIn(stack, token)] });
  }

  /** What the survey says about a construct, as messages. */
  findingsFor(construct: IConstruct): readonly string[] {
    if (
      this.survey === undefined ||
      this.asked.has(construct) ||
      !this.survey.constructs.has(construct)
    ) {
      this.survey = this.surveyor.survey(this);
      this.asked.clear();
    }
    this.asked.add(construct);
    return this.survey.findings.get(construct) ?? [];
  }
}
