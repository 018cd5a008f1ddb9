import type { IConstruct } from "constructs";
import { type TerraformJson, tablesAt } from "../../hcl/json";
import {
  defined,
  type ErrorCode,
  IamTokensError,
  SHARED_VARIABLES,
  STOPS_USING,
  withheld,
} from "../../tokens";
import { stepsIn } from "../credentials/secret-arguments";
import type { Finding, TokenRecord } from "../declarations/registry";
import { isWarning, namesOf, type WarningCode, warnOnce } from "../warnings";
import { listAt, type Place, type Use } from "./places";

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
  // The properties of a token of resolveTokens are in a variable of their own.
  (use.token.resolution !== "synth" || holdsToken(use)) &&
  !use.place.value.includes("ephemeralasnull(");

/** The parts of a resource that use a value and do not keep it. */
const KEEPS_NOTHING: ReadonlySet<string> = new Set([
  ...["provider", "depends_on", "lifecycle", "count", "for_each", "provisioner", "connection"],
]);

/** How references begin to what each plan knows; all others are to resources and modules. */
const PLANNED: ReadonlySet<string> = new Set([
  ...["var", "local", "each", "data", "ephemeral", "path", "terraform"],
]);

/** Whether an argument of a token refers to what only an apply may know. */
const waits = ({ after, destinations, for_each, project_id, project_name }: TerraformJson) =>
  [after, destinations, for_each, project_id, project_name]
    .flat()
    .flatMap((value) => /[$%]\{.*\}/s.exec(String(value)) ?? [])
    .some((templates) => stepsIn(templates).some(([root]) => !PLANNED.has(root)));

/** The variable with the command of a hook, which the shell reads without quoting. */
export const HOOK_COMMAND = "IAM_TOKENS_HOOK_COMMAND";

/** The steps within a provisioner that runs a command on this machine. */
const inLocalExec = ([provisioner, type, ...rest]: readonly string[]) =>
  provisioner === "provisioner" && type === "local-exec" ? rest : undefined;

/**
 * The rules for uses of a token: what Terraform would silently accept, and an output, for which its
 * message leads the wrong way. All other mistakes are refused by Terraform itself, with address
 * and line.
 */
const RULES: readonly Rule[] = [
  {
    place: ({ block, argument: [name] }) => block === "output" && name === "value",
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_OUTPUT",
    problem: "The token is ephemeral, but is used in an output",
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
    applies: (_, block) => waits(block),
    code: "WARN_TOKEN_UNKNOWN",
    problem:
      "The token waits for an apply, but is used in a provider block: a plan that changes what it waits for signs in without it, and Helm then forgets its releases",
    remedy: "Declare what it waits for in another stack, which is applied first.",
  },
  // Terraform closes the block, and the store keeps the token.
  {
    place: ({ block, argument: [name = ""] }) => block === "resource" && !KEEPS_NOTHING.has(name),
    applies: (use, block) => holdsToken(use) && String(block.revoke_on_close) === "true",
    code: "ERR_REVOKED_TOKEN_STORED",
    problem: "The token is revoked when Terraform closes its block, but a resource stores it",
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
  // It reads the variables that are set here: Terraform mostly runs where the program does.
  {
    place: ({ block, labels: [name], argument: [argument] }) =>
      block === "provider" && name === "openstack" && argument === "token",
    applies: () => sharedHere().length > 0,
    code: "WARN_OPENSTACK_VARIABLES",
    problem: `With one of ${SHARED_VARIABLES.join(", ")}, ${STOPS_USING}`,
    get remedy() {
      return withheld(sharedHere());
    },
  },
];

const sharedHere = () => SHARED_VARIABLES.filter((name) => process.env[name]);

/** Uses that break a rule, one error for each rule and token; and numbers that got lost. */
export function* misuses(
  stack: IConstruct,
  places: readonly Place[],
  uses: readonly Use[],
  configuration: TerraformJson,
): Iterable<Finding> {
  for (const { place, applies, code, problem, remedy } of RULES) {
    const broken = new Map<IConstruct, string[]>();
    for (const use of uses)
      if (place(use.place) && applies(use, blockOf(use.token, configuration)))
        listAt(broken, use.token.construct).push(nameOf(use.place));
    for (const [token, where] of broken) {
      const text = `${problem}: ${namesOf(where)}.`;
      if (isWarning(code)) warnOnce(token, code, `${text} ${remedy}`);
      else yield [token, new IamTokensError(code, text, defined({ remedy })).message];
    }
  }
  // In place of a token's rotation: a trigger that never changes.
  for (const place of places.filter(({ isLost }) => isLost)) {
    const problem = `A number that only Terraform knows was turned into a constant: ${nameOf(place)}.`;
    yield [stack, new IamTokensError("ERR_NUMBER_LOST", problem).message];
  }
}

/** The block of a token, as it is written; empty for one that has none. */
function blockOf(token: TokenRecord, configuration: TerraformJson): TerraformJson {
  const steps = token.address().split(".");
  const path = steps[0] === token.blockType ? ["resource", ...steps] : steps;
  return tablesAt(configuration, ...path)[0] ?? {};
}

/** The construct with the place in brackets; an override, say, has no construct: the place alone. */
function nameOf({ user, path }: Place): string {
  const at = path.join(".");
  return user === undefined ? at : `${user} (${at})`;
}
