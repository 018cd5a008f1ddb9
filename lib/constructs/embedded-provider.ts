import { join } from "node:path";
import { App, Manifest, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { packageVersion } from "../delivery/package-root";
import type { TerraformJson } from "../hcl/json";
import { IamTokensError } from "../tokens";
import { ProviderBlock } from "./blocks/block";
import { filePathFor } from "./blocks/file-path";
import { providerSourceOf } from "./blocks/provider-source";
import { type Finding, StackRegistry } from "./declarations/registry";
import { declareSecret } from "./declarations/variables";
import { configurationOf, onSynthesis, whenWritten } from "./framework/internals";
import { PROVIDER_ID, writeStackFiles } from "./stack/files";
import { warnOfRemoteRuns } from "./stack/machines";
import type { StackValues } from "./stack/stack-values";
import { requiredProvidersIn } from "./survey/required-providers";
import { surveyStack, surveyWritten } from "./survey/survey";
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
    const present = stack.node.tryFindChild(PROVIDER_ID) as EmbeddedProvider | undefined;
    return present ?? new EmbeddedProvider(stack);
  }

  /**
   * Source address of the provider: `npm.invalid/cdktf-iam-tokens/iam`, or that of the context
   * `cdktf-iam-tokens:providerSource`.
   */
  readonly source: string;
  /** This package's declarations in the stack. @internal */
  readonly _registry = new StackRegistry();
  /** The values of the tokens that resolveTokens has issued. @internal */
  _values: StackValues | undefined;
  /** Errors of the survey. */
  private findings: readonly Finding[] = [];
  /** As the survey has seen it; undefined if a program skips the validation. */
  private configuration: TerraformJson | undefined;
  private outdir: string | undefined;

  private constructor(stack: TerraformStack) {
    super(stack, PROVIDER_ID);
    this.source = providerSourceOf(stack);
    new ProviderBlock(this, "default", { absent: () => !this._registry.needsProvider });
    // cdktf validates the stack before the constructs in it, which then report their own errors.
    stack.node.addValidation({
      validate: () => {
        warnOfRemoteRuns(this, stack, this._registry);
        const { findings, configuration } = surveyStack(stack, this._registry, this._values);
        this.findings = findings;
        this.configuration = configuration;
        return this.errorsOf(stack);
      },
    });
    const written = (write: () => TerraformJson) =>
      surveyWritten(stack, this._registry, write, this.configuration);
    whenWritten(stack, written, () => {
      throw new IamTokensError("ERR_HCL_OUTPUT", `The stack ${stack.node.path} is written as HCL.`);
    });
    onSynthesis(this, (session) => {
      this.outdir = session.outdir;
      const required = requiredProvidersIn(this.configuration ?? configurationOf(stack));
      writeStackFiles(this, this._registry, this._values, session, required);
    });
  }

  /** Version of the provider: that of this package. */
  get version(): string {
    return packageVersion();
  }

  /** Reports the errors of the survey for a construct as its own. @internal */
  _report(construct: IConstruct): void {
    this._registry.reported.push(construct);
    construct.node.addValidation({ validate: () => this.errorsOf(construct) });
  }

  private errorsOf(construct: IConstruct): string[] {
    return this.findings.filter(([of]) => of === construct).map(([, message]) => message);
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
    const outdir = this.outdir ?? (App.isApp(root) ? root.outdir : "cdktf.out");
    return join(outdir, Manifest.stacksFolder, TerraformStack.of(this).node.id);
  }
}

const SCOPE = kind("a stack, or a construct in one", Construct.isConstruct);
