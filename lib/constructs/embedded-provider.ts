import { join } from "node:path";
import { App, type ISynthesisSession, Manifest, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { deliverProvider } from "../delivery/deliver";
import { packageVersion } from "../delivery/package-root";
import { hasOwnFolder, PLATFORMS, thisPlatform } from "../delivery/platforms";
import { deliverValues, sweepValues } from "../delivery/values/deliver-values";
import { readValueFile, VALUE_FILE } from "../delivery/values/value-file";
import { PROVIDER_SOURCE } from "../provider/names";
import { ProviderBlock } from "./blocks/provider-block";
import { SecretVariable } from "./credentials/secret-variable";
import { StackRegistry } from "./declarations/registry";
import { RequiredVersion } from "./embedded/required-version";
import { OVERRIDES, onSynthesis } from "./framework/internals";
import { assertOneVersion, assertUsable, untestedFramework } from "./framework/usable";
import { foreignUsesIn } from "./survey/foreign-uses";
import { runsRemotely } from "./survey/remote-runs";
import { requiredProvidersOf } from "./survey/required-providers";
import { sharedFolder } from "./survey/shared-folder";
import { surveyStack } from "./survey/survey";
import { synthTokensOf, valuesToWrite } from "./survey/synth-tokens";
import type { SecretSource } from "./values/secret-ref";
import { TokenResolution } from "./values/token-resolution";
import { warnOnce } from "./warnings/annotate";

const BRAND = Symbol.for("cdktf-iam-tokens/EmbeddedProvider");

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
    assertUsable(stack, [OVERRIDES]);
    const present = EmbeddedProvider._in(stack);
    if (present !== undefined) assertOneVersion(stack, present.version);
    return present ?? new EmbeddedProvider(stack);
  }

  /** Source address of the provider. */
  readonly source: string = PROVIDER_SOURCE;
  private readonly registry: StackRegistry;
  private outdir: string | undefined;

  private constructor(stack: TerraformStack) {
    super(stack, ID);
    Object.defineProperty(this, BRAND, { value: true });
    this.registry = new StackRegistry({
      survey: (registry) => surveyStack(stack, this._stackFolder, registry),
      foreignUsesIn,
    });
    new ProviderBlock(this, "default", { absent: () => !this.registry.needsProvider });
    new RequiredVersion(this, "terraform", this.registry);
    this.node.addValidation({
      validate: () => {
        this.warnElsewhere();
        this.warnOfRemoteRuns(stack);
        const shared = sharedFolder(stack);
        return [
          ...this.registry.findingsFor(this),
          ...(shared === undefined ? [] : [shared.message]),
        ];
      },
    });
    onSynthesis(this, (session) => this.deliver(session));
  }

  /** Version of the provider: that of this package. */
  get version(): string {
    return packageVersion();
  }

  /** The embedded provider of a stack that has one. @internal */
  static _in(stack: TerraformStack): EmbeddedProvider | undefined {
    return stack.node.children.find((child): child is EmbeddedProvider => BRAND in child);
  }

  /** This package's declarations in the stack. @internal */
  get _registry(): StackRegistry {
    return this.registry;
  }

  /** Records a secret, and declares its variable if it is one. @internal */
  _addSecret(construct: IConstruct, property: string, source: SecretSource | undefined): void {
    if (source === undefined) return;
    this.registry.secrets.push({ construct, property, source });
    if (source.from === "variable") SecretVariable.declare(this, source.name);
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

  /** On such a machine, Terraform only says that the provider has no package. */
  private warnElsewhere(): void {
    if (hasOwnFolder()) return;
    const remedy =
      process.platform === "win32"
        ? "run the Terraform of windows_amd64"
        : "run Terraform with iam-tokens run, which needs none of these files";
    warnOnce(
      this,
      "WARN_PLATFORM",
      `The embedded provider supports ${PLATFORMS.join(", ")}, but not this machine (${thisPlatform()}). ` +
        `Here, ${remedy}; or run Terraform on a supported platform.`,
    );
  }

  /** Every plan starts our provider, on the machine that runs the plan. */
  private warnOfRemoteRuns(stack: TerraformStack): void {
    const launched = this.registry.tokens.some(
      ({ resolution }) => resolution !== TokenResolution.SYNTH,
    );
    if (!launched || !runsRemotely(stack)) return;
    warnOnce(
      this,
      "WARN_REMOTE_RUNS",
      "This stack runs remotely, so its tokens are issued there: the remote machine needs Node.js and the secret. " +
        "Two ways need neither: TokenResolution.SYNTH with resolveTokens(app), which issues the tokens here; " +
        "or the execution mode Local (or an agent with Node.js), which runs Terraform where both exist.",
    );
  }

  private deliverValues(stack: TerraformStack, stackFolder: string): void {
    const tokens = synthTokensOf(stack, this.registry);
    const { pass } = this.registry;
    for (const { code, text } of tokens.length === 0 ? [] : (pass?.notes() ?? []))
      warnOnce(this, code, text);
    const values = valuesToWrite(tokens, pass, () => readValueFile(stackFolder));
    if (!deliverValues(stackFolder, values)) {
      warnOnce(
        this,
        "WARN_VALUES_NOT_IGNORED",
        `The .gitignore in the stack's folder is your own, and does not list ${VALUE_FILE}, which holds tokens. Add it.`,
      );
    }
  }

  private deliver(session: ISynthesisSession): void {
    const stack = TerraformStack.of(this);
    this.outdir = session.outdir;
    const stackFolder = join(session.outdir, session.manifest.forStack(stack).workingDirectory);
    this.deliverValues(stack, stackFolder);
    if (isFirst(session)) {
      // Each of our stacks cleans its own folder.
      sweepOtherValues(session.outdir, stacksOfOurs(this.node.root));
      const untested = untestedFramework();
      if (untested !== undefined) warnOnce(this, "WARN_FRAMEWORK_UNTESTED", untested);
    }
    if (!this.registry.needsProvider) return;
    const lock = deliverProvider(stackFolder, requiredProvidersOf(stack), session);
    if (lock === undefined) {
      warnOnce(
        this,
        "WARN_LOCK_FILE_UNREADABLE",
        "The .terraform.lock.hcl in the stack's folder cannot be parsed, and was not changed. Repair or remove it.",
      );
    } else if (lock.upgradeByHand.length > 0) {
      warnOnce(
        this,
        "WARN_LOCK_FILE_OUTDATED",
        `The version of ${lock.upgradeByHand.join(", ")} no longer matches the lock file. Run terraform init -upgrade in the stack's folder once.`,
      );
    }
  }
}

function stacksOfOurs(root: IConstruct): TerraformStack[] {
  return root.node
    .findAll()
    .filter(TerraformStack.isStack)
    .filter((stack) => EmbeddedProvider._in(stack) !== undefined);
}

/** The stacks of an app whose tokens are resolved before synthesis. @internal */
export function stacksWithSynthTokens(root: IConstruct): TerraformStack[] {
  return stacksOfOurs(root).filter((stack) =>
    EmbeddedProvider.of(stack)._registry.tokens.some(
      (token) => token.resolution === TokenResolution.SYNTH,
    ),
  );
}

/** Removes the values of all other stacks in an output folder. @internal */
export function sweepOtherValues(outdir: string, holders: readonly TerraformStack[]): void {
  const ids = holders.map((stack) => stack.node.id);
  sweepValues(join(outdir, Manifest.stacksFolder), ids);
}

const seen = new WeakSet<ISynthesisSession>();

/** Whether this is our first stack in a synthesis. */
function isFirst(session: ISynthesisSession): boolean {
  if (seen.has(session)) return false;
  seen.add(session);
  return true;
}
