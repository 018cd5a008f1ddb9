import type { IConstruct } from "constructs";
import { IAM_TOKEN } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import type { Finding, TokenRecord } from "../declarations/registry";
import { overridesOf } from "../framework/internals";
import { TokenResolution } from "../values/token-resolution";
import { namesOf, warnOnce } from "../warnings/annotate";
import { isEphemeralVariable, type ModulePlace } from "./module-variable";
import type { PlaceKind } from "./place";
import { containsToken, type Use } from "./uses";
import { isWriteOnly } from "./write-only";

/** Places that take no ephemeral value, with their names in messages. Tried with Terraform. */
const NO_EPHEMERALS: Readonly<Partial<Record<PlaceKind, string>>> = {
  output: "an output",
  "data-argument": "an argument of a data source",
  "stored-argument": "an argument that is stored in the state",
  count: "count",
  for_each: "for_each",
  dynamic: "a dynamic block's for_each",
  "condition-message": "the error message of a condition",
};

/** Places that take no value of a token at all. */
const NO_TOKENS: Readonly<Partial<Record<PlaceKind, string>>> = {
  address: "a moved or removed block",
  static: "a part of the configuration that is evaluated before Terraform knows values",
  replace_triggered_by: "replace_triggered_by",
  "destroy-provisioner": "a provisioner that runs when its resource is destroyed",
  "hook-command": "a hook's command line, which others can see while it runs",
  // Terraform 1.11 nevertheless takes ephemeral and sensitive values there.
  "import-id": "the id of an import, which Terraform prints and stores in the state",
};

const REMEDIES: Readonly<Partial<Record<PlaceKind, string>>> = {
  // Such as the fqn of a token, which is a reference.
  address:
    'Remove it there: the block takes an address as a string, without ${…}, as plans print it: "iam_token.web".',
  // cdktf writes a reference there in a form that Terraform cannot read, even a reference to a
  // managed resource.
  replace_triggered_by:
    "Remove it there. To replace a resource when a token rotates, use the token's rotationId in triggers or triggers_replace.",
  "destroy-provisioner":
    "There Terraform knows only the resource itself (self): let the command get a token with iam-tokens issue.",
  "hook-command":
    "Let the command read it from its environment: $IAM_TOKEN, or the named variable.",
};

/** Places whose values Terraform must know in each plan, including one that rotates a token. */
const KNOWN_IN_PLANS: Readonly<Partial<Record<PlaceKind, string>>> = {
  provider:
    "a provider block, which could not authenticate in the first plan and in each plan that rotates it",
  count: "count",
  for_each: "for_each",
};

/** Attributes of a rotating token that every plan knows. */
const ALWAYS_KNOWN: ReadonlySet<string | undefined> = new Set(["header_name", "kind"]);

/** Uses that Terraform would refuse, as errors of the tokens. */
export function misuses(uses: readonly Use[]): Finding[] {
  const byMistake = new Map<string, { what: string; first: Use; same: Use[] }>();
  for (const use of uses) {
    const what = refusedAs(use);
    if (what === undefined) continue;
    const key = `${use.record.construct.node.addr} ${what}`;
    const known = byMistake.get(key);
    if (known === undefined) byMistake.set(key, { what, first: use, same: [use] });
    else known.same.push(use);
  }
  return [...byMistake.values()].map(({ what, first, same }) => [
    first.record.construct,
    mistake(first, what, same),
  ]);
}

function refusedAs(use: Use): string | undefined {
  const { kind } = use.place;
  const isUnknownAtTimes =
    use.record.resolution === TokenResolution.ROTATING && !ALWAYS_KNOWN.has(use.attribute);
  if (isUnknownAtTimes && KNOWN_IN_PLANS[kind]) return KNOWN_IN_PLANS[kind];
  if (NO_TOKENS[kind] !== undefined) return NO_TOKENS[kind];
  if (isEphemeral(use)) return use.nulled ? undefined : NO_EPHEMERALS[kind];
  return isSensitive(use) ? use.place.closedToSensitive : undefined;
}

/**
 * The properties of a token that was resolved before synthesis are in a separate variable, which is
 * not ephemeral.
 */
function isEphemeral({ record, attribute }: Use): boolean {
  const isToken = attribute === undefined || attribute === "token";
  return record.ephemeral && (isToken || record.resolution !== TokenResolution.SYNTH);
}

/** Whether Terraform hides the value in plan and state: the token, or a value that contains it. */
function isSensitive(use: Use): boolean {
  return !use.record.ephemeral && containsToken(use);
}

function mistake({ record, place }: Use, what: string, uses: readonly Use[]): IamTokensError {
  const users = placesOf(uses);
  const { kind } = place;
  if (what === place.closedToSensitive) {
    return new IamTokensError(
      "ERR_TOKEN_MISPLACED",
      `The token is sensitive, but is used in ${what}: ${users}.`,
      {
        remedy:
          kind === "output"
            ? "Set sensitive: true there, or declare the outputs with TokenOutputs."
            : "Use keys that are not secret, with the token as a value: TerraformIterator.fromMap({ name: token.value }).",
      },
    );
  }
  if (kind in NO_TOKENS) {
    const remedy = REMEDIES[kind];
    return new IamTokensError(
      "ERR_TOKEN_MISPLACED",
      `The token is used in ${what}: ${users}.`,
      remedy ? { remedy } : {},
    );
  }
  if (record.resolution === TokenResolution.ROTATING)
    return new IamTokensError(
      "ERR_ROTATING_MISPLACED",
      `The token is rotated in place, but is used in ${what}: ${users}.`,
    );
  const code = kind === "output" ? "ERR_EPHEMERAL_OUTPUT" : "ERR_EPHEMERAL_MISPLACED";
  return new IamTokensError(code, `The token is ephemeral, but is used in ${what}: ${users}.`, {
    allowed:
      "provider blocks, write-only arguments, provisioners, and local values that lead there",
    remedy: remedyFor(record, kind),
  });
}

/**
 * Places that store the value, and accept that the plan that rotates the token does not know it.
 */
const STORING: ReadonlySet<PlaceKind> = new Set(["output", "data-argument", "stored-argument"]);

function remedyFor(record: TokenRecord, kind: PlaceKind): string {
  return `Use it where ephemeral values are accepted, or declare a token with ${otherWay(record, kind)} for this use; it is stored in plan and state.`;
}

/** Suggests rotation first where the token is stored: with data, it would change at every apply. */
function otherWay({ resolution, blockType }: TokenRecord, kind: PlaceKind): string {
  if (resolution !== TokenResolution.EPHEMERAL) return "allowInState: true";
  return blockType === IAM_TOKEN && STORING.has(kind)
    ? "resolution: TokenResolution.ROTATING (with TokenResolution.DATA it would change at every apply)"
    : "resolution: TokenResolution.DATA";
}

/**
 * Warns where an ephemeral value is accepted only by an argument made for it: synthesis has no
 * schema to check that.
 */
export function annotateDoubtfulUses(uses: readonly Use[], place: ModulePlace): void {
  for (const use of uses) {
    if (!isEphemeral(use) || use.nulled) continue;
    const { kind, names, type } = use.place;
    const token = use.record.construct.node.path;
    const name = names.join(".");
    if (kind === "module-input") {
      const source = sourceOf(use.user);
      const declared = isEphemeralVariable(source, use.place.names[0] ?? "", place);
      if (declared === true) continue;
      const text =
        `The module's input ${name} gets the ephemeral token ${token}` +
        (declared === false
          ? ", but the module declares the variable without ephemeral = true: Terraform will refuse it. Add ephemeral = true there."
          : ": Terraform accepts that only if the module declares the variable with ephemeral = true.");
      warnOnce(use.user, "WARN_EPHEMERAL_MODULE_INPUT", text);
    } else if (kind === "argument" && !isWriteOnly(use.user, type, names)) {
      const text =
        `The argument ${name} gets the ephemeral token ${token}: Terraform accepts that only if the argument is write-only. ` +
        `If it is, declare it: WriteOnlyArguments.of(scope).add("${[type, ...names].slice(0, 2).join(".")}"). If not, declare the token with ` +
        `${otherWay(use.record, "stored-argument")}.`;
      warnOnce(use.user, "WARN_EPHEMERAL_ARGUMENT", text);
    }
  }
}

/** The source of a module, as it will be written; undefined for other constructs. */
function sourceOf(module: IConstruct): unknown {
  const { source } = module as IConstruct & {
    readonly source?: unknown;
  };
  return overridesOf(module).source ?? source;
}

/** Warns where a token reaches its consumer but others can see it. */
export function annotateVisibleUses(uses: readonly Use[]): void {
  for (const use of uses) {
    const { record, user, place } = use;
    if (place.kind !== "command-line" || !containsToken(use)) continue;
    const text =
      `The ${place.names.join(".")} contains the token ${record.construct.node.path}: while it runs, every user of the machine can see ` +
      'the arguments of its processes. Hand it over in the environment: environment: token.environment("NAME").';
    warnOnce(user, "WARN_TOKEN_ON_COMMAND_LINE", text);
  }
}

function placesOf(uses: readonly Use[]): string {
  return namesOf(
    uses.map(({ user, place, local }) => {
      const where =
        place.names.length === 0 ? user.node.path : `${user.node.path} (${place.names.join(".")})`;
      return local === undefined ? where : `${where}, through the local value ${local}`;
    }),
  );
}
