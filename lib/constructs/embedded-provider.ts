import { join } from "node:path";
import { App, type ISynthesisSession, Manifest, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { deliverProvider } from "../delivery/deliver";
import { packageVersion } from "../delivery/package-root";
import { deliverValues, sweepValues } from "../delivery/values/deliver-values";
import { readValueFile, VALUE_FILE } from "../delivery/values/value-file";
import { PROVIDER_SOURCE } from "../provider/names";
import { warnOnce } from "./blocks/annotate";
import { aliasFrom, TERRAFORM_NAME } from "./blocks/block";
import { ProviderBlock } from "./blocks/provider-block";
import { StackRegistry } from "./blocks/registry";
import { RequiredVersion } from "./blocks/required-version";
import { isCdkToken, isExpression } from "./props/expression";
import { Mistakes } from "./props/mistakes";
import { checkProps } from "./props/props";
import { shown } from "./props/shown";
import { foreignUsesIn } from "./survey/foreign-uses";
import { runsRemotely } from "./survey/remote-runs";
import { requiredProvidersOf } from "./survey/required-providers";
import { sharedFolder } from "./survey/shared-folder";
import { surveyStack } from "./survey/survey";
import { synthTokensOf, valuesToWrite } from "./survey/synth-tokens";
import { TokenResolution } from "./values/token-resolution";

const BRAND = Symbol.for("cdktf-iam-tokens/EmbeddedProvider");
const CUSTOM_SYNTHESIS = Symbol.for("cdktf/customSynthesis");

/** The id below the stack. */
const ID = "cdktf-iam-tokens";

/** What {@link EmbeddedProvider.keepFor} keeps. */
export interface KeepForProps {
  /**
   * Ids of the identity services whose provider alias is to stay. For one in a nested construct:
   * its alias, as the former `cdk.tf.json` has it.
   *
   * @default - no alias
   */
  readonly identities?: string[];
}

/**
 * The Terraform provider that travels inside this package, as a stack has it: the requirement, the
 * default provider block (empty), and, when the stack is synthesized, the provider's files and its
 * lock entry in the stack's folder.
 *
 * Each stack has at most one; it is made with the first token or identity service.
 */
export class EmbeddedProvider extends Construct {
  /**
   * The embedded provider of a stack; made when it is not there.
   *
   * @param scope the stack, or anything in it
   */
  static of(scope: IConstruct): EmbeddedProvider {
    const stack = TerraformStack.of(scope);
    return EmbeddedProvider._in(stack) ?? new EmbeddedProvider(stack);
  }

  /**
   * Keeps the provider in a stack whose last token was removed, for the one deploy that removes it
   * from the state: Terraform requires a provider as long as the state mentions it, and a provider
   * configuration as long as something of it is there.
   *
   * @example EmbeddedProvider.keepFor(this, { identities: ["identity"] });
   */
  static keepFor(scope: IConstruct, props: KeepForProps = {}): EmbeddedProvider {
    const provider = EmbeddedProvider.of(scope);
    provider.keep(props);
    return provider;
  }

  /** Source address of the provider. */
  readonly source: string = PROVIDER_SOURCE;
  private readonly mistakes = new Mistakes();
  private readonly registry: StackRegistry;
  private outdir: string | undefined;

  private constructor(stack: TerraformStack) {
    super(stack, ID);
    Object.defineProperty(this, BRAND, { value: true });
    this.registry = new StackRegistry({
      survey: (registry) => surveyStack(stack, registry),
      foreignUsesIn,
    });
    new ProviderBlock(this, "default", { absent: () => !this.registry.needsProvider });
    new RequiredVersion(this, "terraform", this.registry);
    this.node.addValidation({
      validate: () => {
        this.warnOnWindows();
        this.warnOfRemoteRuns(stack);
        const shared = sharedFolder(stack);
        return [
          ...this.mistakes.messages,
          ...this.registry.findingsFor(this),
          ...(shared === undefined ? [] : [shared.message]),
        ];
      },
    });
    Object.defineProperty(this, CUSTOM_SYNTHESIS, {
      value: { onSynthesize: (session: ISynthesisSession) => this.deliver(session) },
    });
  }

  /** Version of the provider: that of this package. */
  get version(): string {
    return packageVersion();
  }

  /** The embedded provider of a stack that has one. @internal */
  static _in(stack: TerraformStack): EmbeddedProvider | undefined {
    return stack.node.children.find((child): child is EmbeddedProvider => BRAND in child);
  }

  /** What this package declared in the stack. @internal */
  get _registry(): StackRegistry {
    return this.registry;
  }

  /** The folder in which Terraform will run. @internal */
  get _stackFolder(): string {
    const stack = TerraformStack.of(this);
    const root = this.node.root;
    // Not by the app's manifest: asking it before all stacks are prepared freezes what it knows of
    // their dependencies.
    const outdir = this.outdir ?? (App.isApp(root) ? root.outdir : "cdktf.out");
    return join(outdir, Manifest.stacksFolder, stack.node.id);
  }

  private keep(props: KeepForProps): void {
    this.registry.keepProvider();
    const { identities } = checkProps(props, ["identities"], this.mistakes);
    if (identities !== undefined && !Array.isArray(identities)) {
      this.mistakes.add("ERR_PROP_INVALID", `identities is ${shown(identities)}.`, {
        allowed: "a list of ids",
      });
      return;
    }
    for (const id of (identities ?? []) as readonly unknown[]) {
      // An alias is a name in the text of the configuration: an expression cannot stand there.
      const alias =
        typeof id === "string" && !isExpression(id) && !isCdkToken(id) ? aliasFrom(id) : "";
      if (!TERRAFORM_NAME.test(alias)) {
        this.mistakes.add(
          "ERR_NAME_INVALID",
          `identities has ${shown(id)}, which makes no provider alias.`,
          {
            allowed: "ids of identity services",
            remedy:
              "Give the id that the identity service had, or its alias in the former cdk.tf.json.",
          },
        );
      } else if (!this.registry.keptAliases.has(alias)) {
        this.registry.keptAliases.add(alias);
        new ProviderBlock(this, `kept-${alias}`, {
          alias: () => alias,
          omitted: () =>
            this.registry.identities.some((identity) => identity.alias() === alias) &&
            !this.registry.isForSynthOnly(alias),
        });
      }
    }
  }

  private warnOnWindows(): void {
    if (process.platform !== "win32") return;
    warnOnce(
      this,
      "The embedded provider runs on Linux and macOS. Synthesizing works on Windows; run Terraform in WSL, or take the output to a Linux " +
        "machine (an artifact must keep the run bit of the file terraform-provider-iam_v*).",
    );
  }

  /** A provider of ours is launched by each plan, by whatever machine runs it. */
  private warnOfRemoteRuns(stack: TerraformStack): void {
    const launched = this.registry.tokens.some(
      ({ resolution }) => resolution !== TokenResolution.SYNTH,
    );
    if (!launched || !runsRemotely(stack)) return;
    warnOnce(
      this,
      "This stack's runs are remote, and its tokens are issued there: the remote machine needs Node.js and the secret. " +
        "Two ways work without: resolution: TokenResolution.SYNTH with resolveTokens(app), which issues the tokens here; " +
        "or the execution mode Local (or an agent with Node.js), which runs Terraform where both are.",
    );
  }

  private deliverValues(stack: TerraformStack, stackFolder: string): void {
    const tokens = synthTokensOf(stack, this.registry);
    const { pass } = this.registry;
    for (const note of tokens.length === 0 ? [] : (pass?.notes() ?? [])) {
      warnOnce(this, note);
    }
    const values = valuesToWrite(tokens, pass, () => readValueFile(stackFolder));
    if (!deliverValues(stackFolder, values)) {
      warnOnce(
        this,
        `The .gitignore in the stack's folder is your own, and does not name ${VALUE_FILE}, which holds tokens. Add it there.`,
      );
    }
  }

  private deliver(session: ISynthesisSession): void {
    const stack = TerraformStack.of(this);
    this.outdir = session.outdir;
    const stackFolder = join(session.outdir, session.manifest.forStack(stack).workingDirectory);
    this.deliverValues(stack, stackFolder);
    // Each of ours sees to its own folder.
    if (isFirst(session)) sweepOtherValues(session.outdir, stacksOfOurs(this.node.root));
    if (!this.registry.needsProvider) return;
    const lock = deliverProvider(stackFolder, requiredProvidersOf(stack), session);
    if (lock === undefined) {
      warnOnce(
        this,
        "The .terraform.lock.hcl in the stack's folder cannot be read as a lock file, and was left as it is. Repair or remove it.",
      );
    } else if (lock.upgradeByHand.length > 0) {
      warnOnce(
        this,
        `The version of ${lock.upgradeByHand.join(", ")} does not match the lock file any more. Run terraform init -upgrade in the stack's folder once.`,
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

/** Whether this is the first stack of ours in a synthesis. */
function isFirst(session: ISynthesisSession): boolean {
  if (seen.has(session)) return false;
  seen.add(session);
  return true;
}
