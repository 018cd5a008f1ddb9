import { join } from "node:path";
import { App, type ISynthesisSession, Manifest, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { OWN_PACKAGE } from "../framework";
import { isTable } from "../hcl/json";
import { IamTokensError } from "../tokens";
import { ProviderBlock } from "./blocks/block";
import { filePathFor } from "./blocks/file-path";
import { StackRegistry, type TokenRecord } from "./declarations/registry";
import { declareSecret } from "./declarations/variables";
import {
  addWarnings,
  type Fragment,
  frameworkOf,
  onSynthesis,
  whenWritten,
} from "./framework/internals";
import { PROVIDER_ID, writeStackFiles } from "./stack/files";
import { warnOfRemoteRuns } from "./stack/remote-runs";
import type { StackValues } from "./stack/stack-values";
import { requiredProvidersIn } from "./survey/required-providers";
import { surveyed } from "./survey/survey";
import { withPath } from "./values/checks";
import { assertKind, kind } from "./values/kinds";
import type { SecretSource } from "./values/secret-ref";

/**
 * The Terraform provider inside this package, as a stack uses it: its requirement, the default
 * provider block (empty) and, from synthesis on, the provider's files and lock entry in the stack's
 * folder.
 *
 * A stack has at most one. The first token or identity service creates it.
 *
 * @see docs/lock-file.md
 */
export class EmbeddedProvider extends Construct {
  /**
   * The embedded provider of a stack; creates it if necessary.
   *
   * @param scope the stack, or anything in it
   */
  static getOrCreate(scope: IConstruct): EmbeddedProvider {
    assertKind("The argument of EmbeddedProvider.getOrCreate", scope, SCOPE);
    const stack = TerraformStack.of(scope);
    const [theirs, ours] = [stack.constructor, TerraformStack].map(frameworkOf);
    if (theirs !== ours && /^cdkt[fn]$/.test(String(theirs)))
      throw new IamTokensError(
        "ERR_PROP_INVALID",
        `The stack is one of ${theirs}, not of ${ours}.`,
        {
          remedy: `Install ${theirs}-iam-tokens in place of ${OWN_PACKAGE}: constructs and state are the same.`,
        },
      );
    const present = stack.node.tryFindChild(PROVIDER_ID) as EmbeddedProvider | undefined;
    return present ?? new EmbeddedProvider(stack);
  }

  /** That of a construct of ours. @internal */
  static _for(construct: IConstruct, props: unknown): EmbeddedProvider {
    withPath(construct, () => assertKind("The third argument", props, PROPS));
    return EmbeddedProvider.getOrCreate(construct);
  }

  /** This package's declarations in the stack. @internal */
  readonly _registry = new StackRegistry();
  /** The values of the tokens that resolveTokens has issued. @internal */
  _values: StackValues | undefined;
  /** While the stack is synthesized. */
  private session: ISynthesisSession | undefined;

  private constructor(stack: TerraformStack) {
    super(stack, PROVIDER_ID);
    new ProviderBlock(this, "default", { absent: () => !this._registry.needsProvider });
    onSynthesis(this, (session) => {
      this.session = session;
    });
    const pass = (write: () => Fragment) => {
      const written = surveyed(stack, this._registry, write);
      warnOfRemoteRuns(this, this._registry, written);
      const { session } = this;
      this.session = undefined;
      if (session === undefined) return written;
      writeStackFiles(this, this._registry, this._values, session, requiredProvidersIn(written));
      addWarnings(session.manifest.forStack(stack).annotations, stack);
      return written;
    };
    whenWritten(stack, pass, () => {
      throw new IamTokensError("ERR_HCL_OUTPUT", `The stack ${stack.node.path} is written as HCL.`);
    });
  }

  /** Errors of a token that is resolved before synthesis. @internal */
  _lackOf(token: TokenRecord): string[] {
    if (this._values?.lacks(token) === false) return [];
    const problem = this._values
      ? "The token was declared after resolveTokens had finished."
      : "The token has resolution: synth, but resolveTokens was not awaited.";
    return [new IamTokensError("ERR_TOKENS_NOT_RESOLVED", problem).message];
  }

  /** Declares the variable of a secret, if it is one. @internal */
  _addSecret(source: SecretSource): void {
    if (source.from !== "variable") return;
    declareSecret(this, source.given);
  }

  /** The path of a file, as Terraform will read it. @internal */
  _filePath(path: string): string {
    return filePathFor(path, process.cwd(), this._stackFolder);
  }

  /** The folder in which Terraform runs. @internal */
  get _stackFolder(): string {
    // Not from the app's manifest: reading it before all stacks are prepared freezes its list of
    // their dependencies.
    const { root } = this.node;
    const outdir = this.session?.outdir ?? (App.isApp(root) ? root.outdir : "cdktf.out");
    return join(outdir, Manifest.stacksFolder, TerraformStack.of(this).node.id);
  }
}

const PROPS = kind("an object with the properties", isTable);

const SCOPE = kind("a stack, or a construct in one", Construct.isConstruct);
