import { IAM_TOKEN } from "../../provider/names";
import { IamTokensError } from "../../tokens";
import { namesOf, warnOnce } from "../blocks/annotate";
import type { Finding, TokenRecord } from "../blocks/registry";
import { TokenResolution } from "../values/token-resolution";
import type { PlaceKind } from "./place";
import type { Use } from "./uses";
import { isWriteOnly } from "./write-only";

/** Places that take no ephemeral value, by what a message calls them. Tried with Terraform. */
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
  static: "a part of the configuration that is fixed before Terraform knows values",
  replace_triggered_by: "replace_triggered_by",
  "destroy-provisioner": "a provisioner that runs when its resource is destroyed",
  "hook-command": "the text of a hook's command, which others can see while it runs",
  // Terraform 1.11 takes ephemeral and sensitive values there all the same.
  "import-id": "the id of an import, which Terraform prints and keeps in the state",
};

const REMEDIES: Readonly<Partial<Record<PlaceKind, string>>> = {
  // Such as the fqn of a token, which is a reference.
  address:
    'Take it out there: an address stands in it as a text, without ${…}, as plans show it: "iam_token.web".',
  // cdktf writes a reference there in a form that Terraform does not read, also where it is to a
  // managed resource.
  replace_triggered_by:
    "Take it out there; what is to be replaced when a token rotates takes its rotationId in triggers or triggers_replace.",
  "destroy-provisioner":
    "There Terraform knows nothing but the resource itself (self): let the command ask for a token, by iam-tokens issue.",
  "hook-command":
    "Let the command take it from its environment: $IAM_TOKEN, or the variable that was named.",
};

/** Places whose values Terraform must know in each plan, also in the one that rotates a token. */
const KNOWN_IN_PLANS: Readonly<Partial<Record<PlaceKind, string>>> = {
  provider:
    "a provider block, which would not be authenticated in the first plan and in each that rotates it",
  count: "count",
  for_each: "for_each",
};

/** Attributes of a rotating token that every plan knows. */
const ALWAYS_KNOWN: ReadonlySet<string | undefined> = new Set(["header_name", "kind"]);

/** Uses that Terraform would refuse, as mistakes of the tokens. */
export function misuses(uses: readonly Use[]): Finding[] {
  const byMistake = new Map<string, Use[]>();
  for (const use of uses) {
    const what = refusedAs(use);
    if (what === undefined) continue;
    const key = `${use.record.construct.node.addr} ${what}`;
    byMistake.set(key, [...(byMistake.get(key) ?? []), use]);
  }
  return [...byMistake.values()].flatMap((same): Finding[] => {
    const [first] = same;
    const what = first && refusedAs(first);
    return first && what ? [[first.record.construct, mistake(first, what, same)]] : [];
  });
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
 * What is known of a token that was resolved before synthesis is in a variable of its own, which is
 * not ephemeral.
 */
function isEphemeral({ record, attribute }: Use): boolean {
  const isToken = attribute === undefined || attribute === "token";
  return record.ephemeral && (isToken || record.resolution !== TokenResolution.SYNTH);
}

/** In a plan and a state Terraform hides the token, and what has it in it. */
function isSensitive({ record, attribute }: Use): boolean {
  return (
    !record.ephemeral &&
    (attribute === undefined || attribute === "token" || attribute === "headers")
  );
}

function mistake({ record, place }: Use, what: string, uses: readonly Use[]): IamTokensError {
  const users = placesOf(uses);
  const { kind } = place;
  if (what === place.closedToSensitive) {
    return new IamTokensError(
      "ERR_TOKEN_MISPLACED",
      `The token is sensitive, and is used in ${what}: ${users}.`,
      {
        remedy:
          kind === "output"
            ? "Say sensitive: true there, or declare the outputs by TokenOutputs."
            : "Take keys that are no secret there, with the token as a value: TerraformIterator.fromMap({ name: token.value }).",
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
      `The token is rotated in place, and is used in ${what}: ${users}.`,
    );
  const code = kind === "output" ? "ERR_EPHEMERAL_OUTPUT" : "ERR_EPHEMERAL_MISPLACED";
  return new IamTokensError(code, `The token is ephemeral, and is used in ${what}: ${users}.`, {
    allowed:
      "provider blocks, write-only arguments, provisioners, and local values on the way there",
    remedy: remedyFor(record, kind),
  });
}

/** Places that store the value, and are content with one that the plan that rotates it lacks. */
const STORING: ReadonlySet<PlaceKind> = new Set(["output", "data-argument", "stored-argument"]);

function remedyFor(record: TokenRecord, kind: PlaceKind): string {
  return `Use it where ephemeral values are accepted, or declare a token with ${otherWay(record, kind)} for this use, which stands in plan and state.`;
}

/** Rotating first where something stores the token: by data it would change at every apply. */
function otherWay({ resolution, blockType }: TokenRecord, kind: PlaceKind): string {
  if (resolution !== TokenResolution.EPHEMERAL) return "allowInState: true";
  return blockType === IAM_TOKEN && STORING.has(kind)
    ? "resolution: TokenResolution.ROTATING (by TokenResolution.DATA it would be another at every apply)"
    : "resolution: TokenResolution.DATA";
}

/**
 * Says where an ephemeral value is accepted only if what takes it was made for that, which no
 * schema tells at synthesis.
 */
export function annotateDoubtfulUses(uses: readonly Use[]): void {
  for (const use of uses) {
    if (!isEphemeral(use) || use.nulled) continue;
    const { kind, names, type } = use.place;
    const token = use.record.construct.node.path;
    const name = names.join(".");
    if (kind === "module-input") {
      const text =
        `The module's input ${name} takes the ephemeral token ${token}: Terraform accepts that only where the module declares ` +
        "the variable with ephemeral = true.";
      warnOnce(use.user, text);
    } else if (kind === "argument" && !isWriteOnly(use.user, type, names)) {
      const text =
        `The argument ${name} takes the ephemeral token ${token}: Terraform accepts that only where the argument is write-only. ` +
        `If it is, say so: WriteOnlyArguments.of(scope).add("${type}.${names[0] ?? ""}"). If not, declare the token with ` +
        `${otherWay(use.record, "stored-argument")}.`;
      warnOnce(use.user, text);
    }
  }
}

/** Says where a token can be seen by others, although it gets there. */
export function annotateVisibleUses(uses: readonly Use[]): void {
  for (const { record, attribute, user, place } of uses) {
    if (
      place.kind !== "command-line" ||
      !(attribute === undefined || attribute === "token" || attribute === "headers")
    )
      continue;
    const text =
      `The ${place.names.join(".")} has the token ${record.construct.node.path} in it: while it runs, every user of the machine can see ` +
      'the arguments of its processes. Hand it over in the environment: environment: token.environment("NAME").';
    warnOnce(user, text);
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
