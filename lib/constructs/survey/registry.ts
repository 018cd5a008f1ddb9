import type { TerraformOutput, TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { providerConfiguration } from "../blocks/alias";
import type { BlockArguments } from "../blocks/block";
import { TokenResolution } from "../token-resolution";
import type { Survey } from "./finding";
import type { ResolutionPass } from "./resolution-pass";

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
export interface IdentityRecord {
  readonly construct: IConstruct;
  readonly alias: () => string;
  /** What the provider's block is written with. */
  readonly arguments: () => BlockArguments;
  /** What is wrong with the service as it was declared. */
  readonly mistakes: () => readonly string[];
}

/** The outputs that a construct of ours declared. */
export interface OutputsRecord {
  readonly construct: IConstruct;
  readonly outputs: readonly TerraformOutput[];
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

  constructor(private readonly makeSurvey: (registry: StackRegistry) => Survey) {}

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

  /** What the survey says about a construct, as messages. */
  findingsFor(construct: IConstruct): readonly string[] {
    if (
      this.survey === undefined ||
      this.asked.has(construct) ||
      !this.survey.constructs.has(construct)
    ) {
      this.survey = this.makeSurvey(this);
      this.asked.clear();
    }
    this.asked.add(construct);
    return this.survey.findings.get(construct) ?? [];
  }
}
