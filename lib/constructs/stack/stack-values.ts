import { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { readValueFile, type VariableValues } from "../../delivery/values";
import type { TokenRecord } from "../declarations/registry";
import { type ResolvedToken, valuesOf } from "../declarations/variables";
import { isUnderCommandLine } from "../framework/internals";
import { printWarning, type Warning, warnOnce } from "../warnings";
import { runsRemotely } from "./machines";

/** What decides, with the stack, whether values are written next to it. */
export interface WriteSettings {
  /** The program's own decision. */
  readonly writeFile: boolean | undefined;
  /** The variable by which this is a CI system. */
  readonly ci: string | undefined;
  /** Whether existing values stay, because the command needs no token. */
  readonly skip: boolean;
}

/**
 * The values of one stack's tokens that are resolved before synthesis. It is made once, gets the
 * values, and writes them at synthesis.
 */
export class StackValues {
  /** Whether the program has taken the values. */
  isTaken = false;
  /** Undefined if no token was requested. */
  private issued: Map<TokenRecord, ResolvedToken> | undefined;

  /** @param provider the embedded provider of the stack */
  constructor(
    private readonly provider: IConstruct,
    readonly tokens: readonly TokenRecord[],
    private readonly settings: WriteSettings,
  ) {}

  get stack(): TerraformStack {
    return TerraformStack.of(this.provider);
  }

  /** Whether the values are in a file, and why not, or why that file may get to others. */
  get file(): { readonly isWritten: boolean; readonly why?: string | undefined } {
    const { writeFile, ci, skip } = this.settings;
    if (skip) return { isWritten: true };
    if (writeFile === false) return { isWritten: false, why: "writeFile is false" };
    const why = runsRemotely(this.stack) ? "the stack runs remotely" : ci && `${ci} is set`;
    return { isWritten: writeFile ?? why === undefined, why };
  }

  /**
   * Takes the values that were issued for all stacks.
   *
   * @param isTaken whether the program gets them now
   */
  take(values: ReadonlyMap<TokenRecord, ResolvedToken>, isTaken: boolean): void {
    this.isTaken = isTaken;
    const own = [...values].filter(([token]) => this.tokens.includes(token));
    this.issued = new Map(own);
  }

  /** Whether a token has no value although its stack was resolved. */
  lacks(token: TokenRecord): boolean {
    return this.issued?.has(token) === false;
  }

  /**
   * The values in Terraform's form for the environment: strings unchanged, all else as JSON. By the
   * names of this moment: until synthesis, one may change, and the program may refer to more of a
   * token.
   */
  variables(): readonly (readonly [name: string, text: string])[] {
    return [...(this.issued ?? [])]
      .flatMap(([token, value]) => Object.entries(valuesOf(token, value)))
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
  }

  /**
   * The values for the stack's file, if it gets one. Decided at synthesis: until then, a backend
   * may be added, even by an aspect. Warns of values that get nowhere, or too far.
   *
   * @param tokens those that are still in the stack
   */
  forFile(tokens: readonly TokenRecord[], folder: string): VariableValues | undefined {
    this.warn();
    if (tokens.length === 0 || !this.file.isWritten) return undefined;
    const there = this.issued ? undefined : readValueFile(folder);
    return Object.assign(
      {},
      ...tokens.map((each) => valuesOf(each, this.issued?.get(each), there)),
    );
  }

  private warn(): void {
    const warning = this.warning();
    if (warning === undefined) return;
    const { code, text } = warning;
    // A program that is started by itself may take the values after synthesis, to start Terraform
    // with them: whether it did is known at its end.
    if (this.file.isWritten || !this.issued || isUnderCommandLine())
      warnOnce(this.provider, code, text);
    else process.once("exit", () => this.warning() && printWarning(this.provider, warning));
  }

  private warning(): Warning | undefined {
    const { isWritten, why } = this.file;
    if (why === undefined || (!isWritten && this.isTaken)) return undefined;
    if (isWritten)
      return {
        code: "WARN_VALUES_UPLOADED",
        text: `With writeFile: true the tokens are in the output folder (cdktf.out), and ${why}. Do not upload it as an artifact, and do not cache it.`,
      };
    const fact = this.issued
      ? "The tokens were resolved but not written to a file"
      : "No token was requested, because none would be written";
    return {
      code: "WARN_VALUES_NOWHERE",
      text: `${fact}: ${why}. Terraform will lack their variables. Pass them to the program that runs Terraform: use resolveTokens(app, { onResolved }) or environment() of its result; or set writeFile: true.`,
    };
  }
}
