import { join } from "node:path";
import { App, Manifest, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { packageVersion } from "../delivery/package-root";
import { PROVIDER_SOURCE } from "../provider/names";
import { ProviderBlock } from "./blocks/provider-block";
import { SecretVariable } from "./credentials/secret-variable";
import { StackRegistry } from "./declarations/registry";
import { EMBEDDED } from "./embedded/our-stacks";
import { RequiredVersion } from "./embedded/required-version";
import { writeStackFiles } from "./embedded/stack-files";
import { warnOfPlatform, warnOfRemoteRuns } from "./embedded/where-it-runs";
import { onSynthesis } from "./framework/internals";
import { assertOneVersion, assertUsable } from "./framework/usable";
import { surveyStack } from "./survey/survey";
import type { SecretSource } from "./values/secret-ref";

/** The construct's id in the stack. */
const ID = "cdktf-iam-tokens";

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
   * The embedded provider of a stack; creates it if necessary. Throws ERR_VERSION_MISMATCH if
   * another version of this package has created one in the stack.
   *
   * @param scope the stack, or anything in it
   */
  static of(scope: IConstruct): EmbeddedProvider {
    const stack = TerraformStack.of(scope);
    assertUsable(stack);
    const present = stack.node.children.find(isEmbeddedProvider);
    if (present !== undefined) assertOneVersion(stack, present.version);
    return present ?? new EmbeddedProvider(stack);
  }

  /** Source address of the provider. */
  readonly source: string = PROVIDER_SOURCE;
  private readonly registry: StackRegistry;
  private outdir: string | undefined;

  private constructor(stack: TerraformStack) {
    super(stack, ID);
    Object.defineProperty(this, EMBEDDED, { value: true });
    this.registry = new StackRegistry();
    new ProviderBlock(this, "default", { absent: () => !this.registry.needsProvider });
    new RequiredVersion(this, "terraform", this.registry);
    // cdktf validates the stack before the constructs in it, which then report their own errors.
    stack.node.addValidation({
      validate: () => {
        warnOfPlatform(this);
        warnOfRemoteRuns(this, stack, this.registry);
        this.registry.findings = surveyStack(stack, this.registry);
        return [...this.registry.findingsFor(stack)];
      },
    });
    onSynthesis(this, (session) => {
      this.outdir = session.outdir;
      writeStackFiles(this, this.registry, session);
    });
  }

  /** Version of the provider: that of this package. */
  get version(): string {
    return packageVersion();
  }

  /** This package's declarations in the stack. @internal */
  get _registry(): StackRegistry {
    return this.registry;
  }

  /** Declares the variable of a secret, if it is one. @internal */
  _addSecret(source: SecretSource | undefined): void {
    if (source?.from !== "variable") return;
    this.registry.noteEphemeral();
    SecretVariable.declare(this, source.name);
  }

  /** The folder in which Terraform runs. @internal */
  get _stackFolder(): string {
    const stack = TerraformStack.of(this);
    const root = this.node.root;
    // Not from the app's manifest: reading it before all stacks are prepared freezes its list of
    // their dependencies.
    const outdir = this.outdir ?? (App.isApp(root) ? root.outdir : "cdktf.out");
    return join(outdir, Manifest.stacksFolder, stack.node.id);
  }
}

const isEmbeddedProvider = (child: IConstruct): child is EmbeddedProvider => EMBEDDED in child;
