import { type TerraformElement, TerraformOutput, type TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import type { TerraformJson } from "../../hcl/json";
import {
  defined,
  type ErrorCode,
  IamTokensError,
  SHARED_VARIABLES,
  STOPS_USING,
  withheld,
} from "../../tokens";
import { stepsIn } from "../credentials/secret-arguments";
import type { Pass } from "../declarations/pass";
import {
  type Finding,
  isThere,
  type StackRegistry,
  type TokenRecord,
} from "../declarations/registry";
import { detailsVariable, hasDetails, isVariableOfProgram } from "../declarations/variables";
import {
  configurationOf,
  elementsOf,
  type Fragment,
  TO_OTHER_STACKS,
} from "../framework/internals";
import { HOOK_COMMAND } from "../rotation/hook-script";
import { isWarning, namesOf, type WarningCode, warnOnce } from "../warnings";
import { judged } from "./judge";
import { changedNames, keepNames } from "./kept-names";
import { type Finder, finderOf, listIn, type Place, placesIn, type Use, usesIn } from "./places";
import { secretFindings } from "./secrets";
import { tablesAt } from "./tables";

/** A place where a token must not be used. */
interface Rule {
  /** Whether the place is one of the rule's. */
  readonly place: (place: Place) => boolean;
  /** @param block the token's block, as it is written */
  readonly applies: (use: Use, block: TerraformJson) => boolean;
  readonly code: ErrorCode | WarningCode;
  readonly problem: string;
  readonly remedy?: string;
}

/** Whether the value contains the token, and not only a property of it. */
const holdsToken = ({ attribute }: Use) => [undefined, "token"].includes(attribute);

/** Whether Terraform treats the value as ephemeral, as far as synthesis knows. */
const isEphemeral = (use: Use) =>
  !use.token.isInState &&
  // Of an object in a local value, Terraform knows which parts are ephemeral.
  !use.viaLocal &&
  // The properties of a token of resolveTokens are in a variable of their own.
  (use.token.resolution !== "synth" || holdsToken(use)) &&
  !use.place.value.includes("ephemeralasnull(");

const REPEATED: ReadonlySet<string> = new Set(["resource", "data", "ephemeral", "module"]);
const REPEATS: ReadonlySet<string> = new Set(["count", "for_each"]);
/** The arguments of a data source that Terraform itself reads. */
const META: ReadonlySet<string> = new Set(["provider", "depends_on", "lifecycle", ...REPEATS]);

/** The parts of a resource that use a value and do not keep it. */
const KEEPS_NOTHING: ReadonlySet<string> = new Set([...META, "provisioner", "connection"]);

/** The arguments that say what a token waits for, or what it is for. */
const AWAITED = ["after", "destinations", "project_name", "project_id"];
/** What a plan knows. A data source may be read later, but seldom is. */
const PLANNED: ReadonlySet<string> = new Set(["var", "local", "each", "path", "terraform", "data"]);

/** Whether Terraform opens the token only after an apply has made what it refers to. */
const mayBeUnknown = (block: TerraformJson) =>
  AWAITED.flatMap((name) => block[name]).some(
    (value) =>
      typeof value === "string" &&
      value.includes("${") &&
      stepsIn(value).some(([root]) => !PLANNED.has(root)),
  );

/** The steps within a provisioner that runs a command on this machine. */
const inLocalExec = ([provisioner, type, ...rest]: readonly string[]) =>
  provisioner === "provisioner" && type === "local-exec" ? rest : undefined;

/**
 * The rules for uses of a token: what Terraform would silently accept, and what it refuses after
 * newcomers did it first. All other mistakes are refused by Terraform itself, with address and
 * line.
 */
const RULES: readonly Rule[] = [
  // cdktf carries a local value to another stack by an output, and thus through both states.
  {
    place: ({ block, labels: [name = ""] }) =>
      block === "output" && name.startsWith(TO_OTHER_STACKS),
    applies: holdsToken,
    code: "ERR_OTHER_STACK",
    problem: "The token is used in another stack, and would get there through the state",
  },
  // Newcomers did the next three first. Terraform refuses them, but knows no remedy.
  {
    place: ({ block, argument: [name] }) => block === "output" && name === "value",
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_OUTPUT",
    problem: "The token is ephemeral, but is used in an output",
  },
  {
    place: ({ block, argument: [name = ""] }) => REPEATED.has(block) && REPEATS.has(name),
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_MISPLACED",
    problem: "The token is ephemeral, but is used in count or for_each",
  },
  {
    place: ({ block, argument: [name = ""] }) => block === "data" && !META.has(name),
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_MISPLACED",
    problem: "The token is ephemeral, but is used in an argument of a data source",
  },
  // Terraform configures a provider with what it knows, and then plans without authentication.
  {
    place: ({ block }) => block === "provider",
    applies: ({ token, attribute }) =>
      token.resolution === "rotating" && !["kind", "header_name"].includes(String(attribute)),
    code: "ERR_ROTATING_MISPLACED",
    problem:
      "The token is rotated in place, but is used in a provider block, which could not authenticate in the first plan and in each plan that rotates it",
  },
  {
    place: ({ block }) => block === "provider",
    applies: (_, block) => mayBeUnknown(block),
    code: "WARN_TOKEN_UNKNOWN",
    problem:
      "The token waits for an apply, but is used in a provider block: a plan that changes what it waits for signs in without it, and Helm then forgets its releases",
    remedy:
      "Declare what it waits for in another stack, which is applied first; or apply such changes with -refresh=false, but not those of a stack with Helm.",
  },
  // Terraform closes the block, and the store keeps the token.
  {
    place: ({ block, argument: [name = ""] }) => block === "resource" && !KEEPS_NOTHING.has(name),
    applies: (use, block) => holdsToken(use) && String(block.revoke_on_close) === "true",
    code: "ERR_REVOKED_TOKEN_STORED",
    problem: "The token is revoked when Terraform closes its block, but a resource stores it",
  },
  // A map as Java prints it.
  {
    place: ({ value }) => /\{X-(?:Auth-)?Token=/.test(value),
    applies: holdsToken,
    code: "ERR_TOKEN_MISPLACED",
    problem: "A whole map of headers is used in a string",
    remedy: "Use headerName and value in the string, or give the map itself.",
  },
  // To Terraform, an id is not sensitive.
  {
    place: ({ block, argument: [name] }) =>
      block === "import" && (name === "id" || name === "identity"),
    applies: holdsToken,
    code: "ERR_TOKEN_MISPLACED",
    problem:
      "The token is used in the id of an import, which Terraform prints and stores in the state",
    remedy: "Give an id that holds no secret; the resource gets the token in an argument.",
  },
  // The next two are strings like any other to Terraform, but arguments of a process to the system.
  {
    place: ({ argument }) => inLocalExec(argument)?.at(-1) === HOOK_COMMAND,
    applies: holdsToken,
    code: "ERR_TOKEN_MISPLACED",
    problem: "The token is used in a hook's command line, which others can see while it runs",
    remedy:
      "Let the command read it from its environment: $IAM_TOKEN, or the variable that the hook names.",
  },
  {
    place: ({ argument }) => ["command", "interpreter"].includes(inLocalExec(argument)?.[0] ?? ""),
    applies: holdsToken,
    code: "WARN_TOKEN_ON_COMMAND_LINE",
    problem:
      "A command line contains the token, and while it runs, every user of the machine can see it",
    remedy: 'Pass it in the environment: environment: token.environment("NAME").',
  },
  // It reads the variables, or the cloud, that the identity service is looked up by, and any that
  // are set here.
  {
    place: ({ block, labels: [name], argument: [argument] }) =>
      block === "provider" && name === "openstack" && argument === "token",
    applies: ({ token }) => token.identity?.isLookedUp === true || sharedHere().length > 0,
    code: "WARN_OPENSTACK_VARIABLES",
    problem: `With one of ${SHARED_VARIABLES.join(", ")}, ${STOPS_USING}`,
    get remedy() {
      const names = sharedHere();
      return withheld(names.length > 0 ? names : ["NAME"]);
    },
  },
];

/** Terraform mostly runs where the program does. */
const sharedHere = () => SHARED_VARIABLES.filter((name) => process.env[name]);

/** The errors of a stack's declarations, and its configuration as it would be written now. */
export function surveyStack(
  stack: TerraformStack,
  registry: StackRegistry,
  pass: Pass | undefined,
): { readonly findings: readonly Finding[]; readonly configuration: TerraformJson } {
  const referencesIn = finderOf(registry.tokens);
  keepNames(stack, referencesIn);
  const configuration = configurationOf(stack);
  const findings = [
    ...usesOf(stack, configuration, referencesIn),
    ...takenNames(elementsOf(stack), registry),
    ...unresolved(registry, pass),
    ...judged(registry.tokens, registry.identities),
    ...secretFindings(stack, configuration, registry),
  ];
  return { findings, configuration };
}

/**
 * The configuration as it is written, after the same rules: what changes it after the validations
 * (the validation of another construct, a custom synthesis) is seen here only.
 *
 * @param isSurveyed whether the stack was validated: a program may skip that
 * @throws an error with the form of cdktf's for validations
 */
export function surveyWritten(
  stack: TerraformStack,
  registry: StackRegistry,
  write: () => Fragment,
  isSurveyed: boolean,
): Fragment {
  const referencesIn = finderOf(registry.tokens);
  keepNames(stack, referencesIn);
  const written = write();
  const found = [
    ...(isSurveyed ? usesOf(stack, written, referencesIn) : []),
    ...secretFindings(stack, written, registry),
  ];
  if (found.length > 0) {
    const lines = found.map(([{ node }, message]) => `[${node.path}] ${message}`);
    throw new Error(`Validation failed with the following errors:\n  ${lines.join("\n  ")}`);
  }
  return written;
}

function usesOf(
  stack: TerraformStack,
  configuration: TerraformJson,
  referencesIn: Finder,
): readonly Finding[] {
  const places = placesIn(configuration, referencesIn);
  return [
    ...misuses(usesIn(places), configuration),
    ...lostNumbers(stack, places),
    ...changedNames(stack, referencesIn),
  ];
}

/** Uses that break a rule; one error for each rule and token. */
function* misuses(uses: readonly Use[], configuration: TerraformJson): Iterable<Finding> {
  for (const { place, applies, code, problem, remedy } of RULES) {
    const broken = new Map<IConstruct, string[]>();
    for (const use of uses)
      if (place(use.place) && applies(use, blockOf(use.token, configuration)))
        listIn(broken, use.token.construct).push(nameOf(use.place));
    for (const [token, where] of broken) {
      const text = `${problem}: ${namesOf(where)}.`;
      if (isWarning(code)) warnOnce(token, code, `${text} ${remedy}`);
      else yield finding(token, code, text, defined({ remedy }));
    }
  }
}

/** The block of a token, as it is written; empty for one that has none. */
function blockOf(token: TokenRecord, configuration: TerraformJson): TerraformJson {
  const steps = token.address().split(".");
  const path = steps[0] === token.blockType ? ["resource", ...steps] : steps;
  return tablesAt(configuration, ...path)[0] ?? {};
}

/** A constant in place of a token's rotation: a trigger that never changes. */
function* lostNumbers(stack: TerraformStack, places: readonly Place[]): Iterable<Finding> {
  for (const place of places.filter(({ isLost }) => isLost))
    yield finding(
      stack,
      "ERR_NUMBER_LOST",
      `A number that only Terraform knows was turned into a constant: ${nameOf(place)}.`,
    );
}

/** Of what has no construct of its own, an override for example, the place alone. */
function nameOf({ user, path }: Place): string {
  const at = path.join(".");
  return user === undefined ? at : `${user} (${at})`;
}

/** cdktf merges what has one name, and the last one silently wins: a token of another scope. */
function* takenNames(
  elements: readonly TerraformElement[],
  { tokens, rotations, identities, constructs }: StackRegistry,
): Iterable<Finding> {
  const ours = new Set(constructs.filter(isThere));
  const holders = new Map<string, IConstruct[]>();
  const hold = (address: string, construct: IConstruct) => listIn(holders, address).push(construct);
  for (const { construct, address } of rotations)
    if (ours.has(construct)) hold(address(), construct);
  for (const { construct, configuration } of identities)
    if (ours.has(construct)) hold(`provider ${configuration}`, construct);
  for (const token of tokens.filter(({ construct }) => ours.has(construct))) {
    hold(token.address(), token.construct);
    if (token.resolution === "synth" && hasDetails(token))
      hold(`var.${detailsVariable(token.terraformName())}`, token.construct);
  }
  for (const element of elements)
    if (TerraformOutput.isTerraformOutput(element))
      hold(`output.${element.friendlyUniqueId}`, element);
    else if (isVariableOfProgram(element)) hold(`var.${element.friendlyUniqueId}`, element);
  for (const [name, all] of holders) {
    if (all.length === 1) continue;
    const code = name.startsWith("output.") ? "ERR_OUTPUT_NAME_TAKEN" : "ERR_NAME_TAKEN";
    const problem = `${name} is declared more than once: ${namesOf(all.map(({ node }) => node.path))}.`;
    // Names that only the program declares are not ours to judge.
    for (const { node } of all)
      for (const owner of node.scopes) if (ours.has(owner)) yield finding(owner, code, problem);
  }
}

function* unresolved({ synthTokens }: StackRegistry, pass: Pass | undefined): Iterable<Finding> {
  if (pass !== undefined && pass.outcome !== "resolved") return;
  const problem = pass
    ? "The token was declared after resolveTokens had finished."
    : "The token has resolution: synth, but resolveTokens was not awaited.";
  for (const token of synthTokens)
    if (!pass?.values.has(token))
      yield finding(token.construct, "ERR_TOKENS_NOT_RESOLVED", problem);
}

function finding(
  construct: IConstruct,
  ...error: ConstructorParameters<typeof IamTokensError>
): Finding {
  return [construct, new IamTokensError(...error).message];
}
