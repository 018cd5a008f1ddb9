import { join } from "node:path";
import {
  App,
  type ISynthesisSession,
  Manifest,
  TerraformBackend,
  TerraformElement,
  TerraformStack,
} from "cdktf";
import { Construct, type IConstruct } from "constructs";
import { deliverProvider } from "../delivery/lay-out";
import { packageVersion } from "../delivery/package-root";
import { hasOwnFolder, PLATFORMS, thisPlatform } from "../delivery/platforms";
import { deliverValues, readValueFile, sweepValues, VALUE_FILE } from "../delivery/values";
import { isTable, member } from "../hcl/json";
import { PROVIDER_SOURCE } from "../provider/names";
import { ProviderBlock } from "./blocks/block";
import { StackRegistry } from "./declarations/registry";
import { declareSecret } from "./declarations/variables";
import { backendType, type Fragment, onSynthesis, overridesOf } from "./framework/internals";
import { assertOneVersion, assertUsable } from "./framework/usable";
import { elementsOf } from "./survey/places";
import { requiredProvidersOf } from "./survey/required-providers";
import { surveyStack } from "./survey/survey";
import { synthTokensOf, valuesToWrite } from "./survey/synth-tokens";
import type { SecretSource } from "./values/secret-ref";
import { TokenResolution } from "./values/token";
import { warnOnce } from "./warnings";

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
  /** This package's declarations in the stack. @internal */
  readonly _registry = new StackRegistry();
  private outdir: string | undefined;

  private constructor(stack: TerraformStack) {
    super(stack, ID);
    Object.defineProperty(this, EMBEDDED, { value: true });
    new ProviderBlock(this, "default", { absent: () => !this._registry.needsProvider });
    new RequiredVersion(this, "terraform", this._registry);
    // cdktf validates the stack before the constructs in it, which then report their own errors.
    stack.node.addValidation({
      validate: () => {
        warnOfPlatform(this);
        warnOfRemoteRuns(this, stack, this._registry);
        this._registry.findings = surveyStack(stack, this._registry);
        return [...this._registry.findingsFor(stack)];
      },
    });
    onSynthesis(this, (session) => {
      this.outdir = session.outdir;
      writeStackFiles(this, this._registry, session);
    });
  }

  /** Version of the provider: that of this package. */
  get version(): string {
    return packageVersion();
  }

  /** Declares the variable of a secret, if it is one. @internal */
  _addSecret(source: SecretSource): void {
    if (source.from !== "variable") return;
    this._registry.ephemeral = true;
    declareSecret(this, source.given);
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

/** Marks an embedded provider, for all copies of the package in a program. */
const EMBEDDED = Symbol.for("cdktf-iam-tokens/EmbeddedProvider");

/** The stacks of an app that have an embedded provider. */
export function stacksOfOurs(root: IConstruct): TerraformStack[] {
  return root.node
    .findAll()
    .filter(TerraformStack.isStack)
    .filter((stack) => stack.node.children.some((child) => EMBEDDED in child));
}

/** Removes the values of all other stacks in an output folder. */
export function sweepOtherValues(outdir: string, holders: readonly TerraformStack[]): void {
  const ids = holders.map((stack) => stack.node.id);
  sweepValues(join(outdir, Manifest.stacksFolder), ids);
}

/** The synthesis that our first stack has cleaned up after. */
let swept: ISynthesisSession | undefined;

/**
 * What a synthesis writes next to a stack: the values of tokens that were resolved before it, and
 * the provider with its lock entry.
 */
function writeStackFiles(
  provider: IConstruct,
  registry: StackRegistry,
  session: ISynthesisSession,
): void {
  const stack = TerraformStack.of(provider);
  const folder = join(session.outdir, session.manifest.forStack(stack).workingDirectory);
  const tokens = synthTokensOf(stack, registry);
  const { pass } = registry;
  for (const { code, text } of tokens.length === 0 ? [] : (pass?.notes() ?? []))
    warnOnce(provider, code, text);
  if (
    !deliverValues(
      folder,
      valuesToWrite(tokens, pass, () => readValueFile(folder)),
    )
  )
    warnOnce(
      provider,
      "WARN_VALUES_NOT_IGNORED",
      `The .gitignore in the stack's folder is your own, and does not list ${VALUE_FILE}, which holds tokens. Add it.`,
    );
  // Each of our stacks cleans its own folder.
  if (swept !== session) sweepOtherValues(session.outdir, stacksOfOurs(provider.node.root));
  swept = session;
  if (registry.needsProvider && !deliverProvider(folder, requiredProvidersOf(stack), session))
    warnOnce(
      provider,
      "WARN_LOCK_FILE_UNREADABLE",
      "The .terraform.lock.hcl in the stack's folder is not in Terraform's form, and was not changed. Repair or remove it.",
    );
}

/** On such a machine, Terraform only says that the provider has no package. */
function warnOfPlatform(provider: IConstruct): void {
  if (hasOwnFolder()) return;
  const remedy =
    process.platform === "win32"
      ? "run the Terraform of windows_amd64"
      : "run Terraform with iam-tokens run, which needs none of these files";
  warnOnce(
    provider,
    "WARN_PLATFORM",
    `The embedded provider supports ${PLATFORMS.join(", ")}, but not this machine (${thisPlatform()}). ` +
      `Here, ${remedy}; or run Terraform on a supported platform.`,
  );
}

/** Every plan starts our provider, on the machine that runs the plan. */
function warnOfRemoteRuns(
  provider: IConstruct,
  stack: TerraformStack,
  { tokens }: StackRegistry,
): void {
  const launched = tokens.some(({ resolution }) => resolution !== TokenResolution.SYNTH);
  if (!launched || !runsRemotely(stack)) return;
  warnOnce(
    provider,
    "WARN_REMOTE_RUNS",
    "This stack runs remotely, so its tokens are issued there: the remote machine needs Node.js and the secret. " +
      "Two ways need neither: TokenResolution.SYNTH with resolveTokens(app), which issues the tokens here; " +
      "or the execution mode Local (or an agent with Node.js), which runs Terraform where both exist.",
  );
}

/** Backends whose runs are elsewhere: the stack's whole folder is uploaded. */
const REMOTE: readonly unknown[] = ["cloud", "remote"];

/**
 * Whether a stack's plan and apply run elsewhere (HCP Terraform and the like), as far as the
 * program says.
 */
export function runsRemotely(stack: TerraformStack): boolean {
  const terraform = member(overridesOf(stack), "terraform");
  return (
    elementsOf(stack).some(
      (element) => TerraformBackend.isBackend(element) && REMOTE.includes(backendType(element)),
    ) || [member(terraform, "cloud"), member(member(terraform, "backend"), "remote")].some(Boolean)
  );
}

/**
 * Ephemeral resources came with Terraform 1.10 (and with OpenTofu 1.11, for which a constraint
 * cannot speak separately).
 */
const EPHEMERAL_CONSTRAINT = ">= 1.10.0";

/**
 * `terraform.required_version` of a stack that has an ephemeral value, joined with the user's own.
 *
 * cdktf merges a stack's overrides over its elements, so an override would hide ours: in that case
 * the two are joined in place. This happens whenever the stack is written, and thus includes an
 * override that an aspect sets last.
 */
class RequiredVersion extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly registry: StackRegistry,
  ) {
    super(scope, id);
  }

  override toTerraform(): Fragment {
    if (!this.registry.needsEphemerals) return {};
    const terraform = overridesOf(this.cdktfStack).terraform;
    if (isTable(terraform) && typeof terraform.required_version === "string") {
      terraform.required_version = joined(terraform.required_version);
      return {};
    }
    return { terraform: { required_version: EPHEMERAL_CONSTRAINT } };
  }
}

function joined(users: string): string {
  if (users.split(",").some((part) => part.trim() === EPHEMERAL_CONSTRAINT)) return users;
  return `${users}, ${EPHEMERAL_CONSTRAINT}`;
}
