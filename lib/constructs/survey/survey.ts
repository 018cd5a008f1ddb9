import { TerraformOutput, type TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { defined, type ErrorCode, IamTokensError } from "../../tokens";
import type { Finding, StackRegistry, TokenRecord } from "../declarations/registry";
import { TO_OTHER_STACKS } from "../framework/internals";
import { HOOK_COMMAND } from "../rotation/hook-script";
import { TokenResolution } from "../values/token";
import { namesOf, warnOnce } from "../warnings";
import { judged } from "./judge";
import { elementsOf, listIn, placesIn, type Use, usesIn } from "./places";
import { secretFindings } from "./secrets";

/** A place where a token must not be used. */
interface Rule {
  /** The place's path from the top of `cdk.tf.json`. */
  readonly place: RegExp;
  readonly applies: (use: Use) => boolean;
  readonly code: ErrorCode | "WARN_TOKEN_ON_COMMAND_LINE";
  readonly problem: string;
  readonly remedy?: string;
}

/** Whether the value contains the token, and not only a property of it. */
const holdsToken = ({ attribute }: Use) => [undefined, "token"].includes(attribute);

/** Whether Terraform treats the value as ephemeral, as far as synthesis knows. */
const isEphemeral = (use: Use) =>
  use.token.ephemeral &&
  // Of an object in a local value, Terraform knows which parts are ephemeral.
  !use.viaLocal &&
  // The properties of a token of resolveTokens are in a variable of their own.
  (use.token.resolution !== TokenResolution.SYNTH || holdsToken(use)) &&
  !String(use.value).includes("ephemeralasnull(");

/**
 * The rules for uses of a token: what Terraform would silently accept, and what it refuses after
 * newcomers did it first. All other mistakes are refused by Terraform itself, with address and line.
 */
const RULES: readonly Rule[] = [
  // cdktf carries a local value to another stack by an output, and thus through both states.
  {
    place: new RegExp(`^output\\.${TO_OTHER_STACKS}`),
    applies: holdsToken,
    code: "ERR_OTHER_STACK",
    problem: "The token is used in another stack, and would get there through the state",
  },
  // Newcomers did the next three first. Terraform refuses them, but knows no remedy.
  {
    place: /^output\.[^.]+\.value$/,
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_OUTPUT",
    problem: "The token is ephemeral, but is used in an output",
  },
  {
    place: /^(?:resource|data|ephemeral|module)\.(?:[^.]+\.){1,2}(?:count|for_each)(?:\.|$)/,
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_MISPLACED",
    problem: "The token is ephemeral, but is used in count or for_each",
  },
  {
    place:
      /^(?:check\.[^.]+\.)?data\.[^.]+\.[^.]+\.(?!provider$|depends_on|lifecycle|count|for_each)/,
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_MISPLACED",
    problem: "The token is ephemeral, but is used in an argument of a data source",
  },
  // Terraform configures a provider with what it knows, and then plans without authentication.
  {
    place: /^provider\./,
    applies: ({ token, attribute }) =>
      token.resolution === TokenResolution.ROTATING &&
      !["kind", "header_name"].includes(String(attribute)),
    code: "ERR_ROTATING_MISPLACED",
    problem:
      "The token is rotated in place, but is used in a provider block, which could not authenticate in the first plan and in each plan that rotates it",
  },
  // To Terraform, an id is not sensitive.
  {
    place: /^import\..*\b(?:id|identity)(?:\.|$)/,
    applies: holdsToken,
    code: "ERR_TOKEN_MISPLACED",
    problem:
      "The token is used in the id of an import, which Terraform prints and stores in the state",
  },
  // The next two are strings like any other to Terraform, but arguments of a process to the system.
  {
    place: new RegExp(`\\.${HOOK_COMMAND}$`),
    applies: holdsToken,
    code: "ERR_TOKEN_MISPLACED",
    problem: "The token is used in a hook's command line, which others can see while it runs",
    remedy:
      "Let the command read it from its environment: $IAM_TOKEN, or the variable that the hook names.",
  },
  {
    place: /\.local-exec\.(?:command|interpreter)(?:\.|$)/,
    applies: holdsToken,
    code: "WARN_TOKEN_ON_COMMAND_LINE",
    problem:
      "A command line contains the token, and while it runs, every user of the machine can see it",
    remedy: 'Pass it in the environment: environment: token.environment("NAME").',
  },
];

/** The errors of a stack's declarations as a whole, by construct. */
export function surveyStack(
  stack: TerraformStack,
  registry: StackRegistry,
): ReadonlyMap<IConstruct, readonly string[]> {
  const { tokens, identities } = registry;
  // A program may have removed some since.
  const there = new Set<IConstruct>(stack.node.findAll());
  const ours = new Set(registry.constructs.filter((each) => there.has(each)));
  const places = placesIn(stack);
  const findings = new Map<IConstruct, string[]>();
  for (const [construct, message] of [
    ...misuses(usesIn(places)),
    ...takenNames(stack, tokens, ours),
    ...unresolved(registry),
    ...judged(tokens, identities),
    ...secretFindings(stack, places, ours),
  ])
    listIn(findings, construct).push(message);
  return findings;
}

/** Uses that break a rule; one error for each rule and token. */
function* misuses(uses: readonly Use[]): Iterable<Finding> {
  for (const { place, applies, code, problem, remedy } of RULES) {
    const broken = new Map<IConstruct, string[]>();
    for (const use of uses)
      if (place.test(use.path) && applies(use))
        listIn(broken, use.token.construct).push(`${use.user.node.path} (${use.path})`);
    for (const [token, where] of broken) {
      const text = `${problem}: ${namesOf(where)}.`;
      if (code === "WARN_TOKEN_ON_COMMAND_LINE") warnOnce(token, code, `${text} ${remedy}`);
      else yield finding(token, code, text, defined({ remedy }));
    }
  }
}

/** cdktf merges what has one name, and the last one silently wins: a token of another scope. */
function* takenNames(
  stack: TerraformStack,
  tokens: readonly TokenRecord[],
  ours: ReadonlySet<IConstruct>,
): Iterable<Finding> {
  const holders = new Map<string, IConstruct[]>();
  for (const token of tokens)
    if (ours.has(token.construct)) listIn(holders, token.address()).push(token.construct);
  for (const output of elementsOf(stack).filter(TerraformOutput.isTerraformOutput))
    listIn(holders, `output.${output.friendlyUniqueId}`).push(output);
  for (const [name, all] of holders) {
    if (all.length === 1) continue;
    const code = name.startsWith("output.") ? "ERR_OUTPUT_NAME_TAKEN" : "ERR_NAME_TAKEN";
    const problem = `${name} is declared more than once: ${namesOf(all.map(({ node }) => node.path))}.`;
    for (const { node } of all)
      for (const owner of node.scopes) if (ours.has(owner)) yield finding(owner, code, problem);
  }
}

function* unresolved({ tokens, pass }: StackRegistry): Iterable<Finding> {
  if (pass?.skipped || pass?.unasked) return;
  const problem = pass
    ? "The token was declared after resolveTokens had finished."
    : "The token has resolution: synth, but resolveTokens was not awaited.";
  for (const token of tokens)
    if (token.resolution === TokenResolution.SYNTH && !pass?.values.has(token))
      yield finding(token.construct, "ERR_TOKENS_NOT_RESOLVED", problem);
}

function finding(
  construct: IConstruct,
  ...error: ConstructorParameters<typeof IamTokensError>
): Finding {
  return [construct, new IamTokensError(...error).message];
}
