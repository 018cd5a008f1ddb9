import { App, TerraformOutput, type TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import { type ErrorCode, IamTokensError } from "../../tokens";
import type { Finding, StackRegistry, TokenRecord } from "../declarations/registry";
import { carriesToOtherStacks, isHclRequested } from "../framework/internals";
import { HOOK_COMMAND } from "../rotation/hook-script";
import { TokenResolution } from "../values/token";
import { namesOf, warnOnce } from "../warnings";
import { judged } from "./judge";
import { secretFindings } from "./secrets";
import { unresolvedTokens } from "./synth-tokens";
import { type Part, partsOf, type Use, usesIn } from "./uses";

/** A place where a token must not be used. */
interface Rule {
  /** The place's path from the top of `cdk.tf.json`. */
  readonly place: RegExp;
  readonly applies: (use: Use) => boolean;
  readonly code: ErrorCode | "WARN_TOKEN_ON_COMMAND_LINE";
  readonly problem: string;
  readonly remedy?: string;
}

/** Of an object in a local value, Terraform knows which parts are ephemeral. */
const isEphemeral = ({ token, attribute, text, viaLocal }: Use): boolean =>
  token.ephemeral &&
  !viaLocal &&
  // The properties of a token of resolveTokens are in a variable of their own.
  (token.resolution !== TokenResolution.SYNTH || isOf(attribute, undefined, "token")) &&
  !text.includes("ephemeralasnull(");
const holdsToken = ({ attribute }: Use): boolean => isOf(attribute, undefined, "token");
const isUnknownAtTimes = ({ token, attribute }: Use): boolean =>
  token.resolution === TokenResolution.ROTATING && !isOf(attribute, "kind", "header_name");

function isOf<T>(value: T, ...values: readonly T[]): boolean {
  return values.includes(value);
}

/**
 * The rules for uses of a token: what Terraform would silently accept, and what it refuses after
 * newcomers did it first. All other mistakes are refused by Terraform itself, with address and line.
 */
const RULES: readonly Rule[] = [
  {
    place: /^output\./,
    applies: (use) => carriesToOtherStacks(use.user) && holdsToken(use),
    code: "ERR_OTHER_STACK",
    problem: "The token is used in another stack, and would get there through the state",
  },
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
    place: /^(?:check\.[^.]+\.)?data\.[^.]+\.[^.]+\.(?!provider$|depends_on|lifecycle)/,
    applies: isEphemeral,
    code: "ERR_EPHEMERAL_MISPLACED",
    problem: "The token is ephemeral, but is used in an argument of a data source",
  },
  {
    place: /^provider\./,
    applies: isUnknownAtTimes,
    code: "ERR_ROTATING_MISPLACED",
    problem:
      "The token is rotated in place, but is used in a provider block, which could not authenticate in the first plan and in each plan that rotates it",
  },
  {
    place: /^import\..*\b(?:id|identity)(?:\.|$)/,
    applies: holdsToken,
    code: "ERR_TOKEN_MISPLACED",
    problem:
      "The token is used in the id of an import, which Terraform prints and stores in the state",
  },
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
  const constructs = new Set<IConstruct>(stack.node.findAll());
  // A program may have removed some since.
  const isThere = ({ construct }: { readonly construct: IConstruct }) => constructs.has(construct);
  const tokens = registry.tokens.filter(isThere);
  const parts = partsOf(stack);
  const identities = registry.identities.filter(isThere);
  const declared = new Set([...tokens, ...identities].map(({ construct }) => construct));
  const findings = new Map<IConstruct, string[]>();
  for (const [construct, message] of [
    ...misuses(stack, parts, new Set(tokens)),
    ...takenNames(tokens),
    ...takenOutputs(registry.outputs.filter(isThere), parts),
    ...hclOutput(stack, tokens),
    ...unresolvedTokens(tokens, registry.pass),
    ...judged(tokens, identities),
    ...secretFindings(stack, parts, declared),
  ])
    findings.set(construct, [...(findings.get(construct) ?? []), message]);
  return findings;
}

/** Uses that break a rule; one error for each token and rule. */
function misuses(
  stack: TerraformStack,
  parts: readonly Part[],
  own: ReadonlySet<TokenRecord>,
): Finding[] {
  const byToken = new Map<IConstruct, Map<Rule, string[]>>();
  for (const use of usesIn(stack, parts)) {
    const { token, user, path } = use;
    if (!own.has(token)) continue;
    const rule = RULES.find(({ place, applies }) => place.test(path) && applies(use));
    if (rule === undefined) continue;
    const broken = byToken.get(token.construct) ?? new Map<Rule, string[]>();
    byToken.set(token.construct, broken);
    const where = `${user.node.path} (${path})`;
    const places = broken.get(rule);
    if (places === undefined) broken.set(rule, [where]);
    else places.push(where);
  }
  const findings: Finding[] = [];
  for (const [construct, broken] of byToken)
    for (const [{ code, problem, remedy }, places] of broken) {
      const text = `${problem}: ${namesOf(places)}.`;
      if (code === "WARN_TOKEN_ON_COMMAND_LINE") warnOnce(construct, code, `${text} ${remedy}`);
      else
        findings.push([
          construct,
          new IamTokensError(code, text, remedy ? { remedy } : {}).message,
        ]);
    }
  return findings;
}

/** cdktf merges blocks of one name, and the last one silently wins: a token of another scope. */
function takenNames(tokens: readonly TokenRecord[]): Finding[] {
  const byName = new Map<string, IConstruct>();
  return tokens.flatMap((token): Finding[] => {
    const { construct } = token;
    const name = token.address();
    const other = byName.get(name);
    byName.set(name, other ?? construct);
    if (other === undefined) return [];
    const problem = `${other.node.path} has the same name in Terraform: ${name}.`;
    return [[construct, new IamTokensError("ERR_NAME_TAKEN", problem).message]];
  });
}

/** cdktf merges outputs of one name, and the last one silently wins. */
function takenOutputs(records: StackRegistry["outputs"], parts: readonly Part[]): Finding[] {
  if (records.length === 0) return [];
  const byName = new Map<string, string[]>();
  for (const { user } of parts) {
    if (!TerraformOutput.isTerraformOutput(user)) continue;
    const name = user.friendlyUniqueId;
    byName.set(name, [...(byName.get(name) ?? []), user.node.path]);
  }
  return records.flatMap(({ construct, outputs }) =>
    outputs.flatMap(({ friendlyUniqueId: name, node }): Finding[] => {
      const others = (byName.get(name) ?? []).filter((path) => path !== node.path);
      if (others.length === 0) return [];
      const problem = `The output ${name} is also declared by ${others.join(", ")}.`;
      return [[construct, new IamTokensError("ERR_OUTPUT_NAME_TAKEN", problem).message]];
    }),
  );
}

/** HCL output drops ephemeral blocks; ephemeral variables stay. */
function hclOutput(stack: TerraformStack, tokens: readonly TokenRecord[]): Finding[] {
  const first = tokens.find((token) => token.resolution === TokenResolution.EPHEMERAL);
  const { root } = stack.node;
  if (first === undefined || !(isHclRequested() ?? (App.isApp(root) && root.hclOutput))) return [];
  const problem = "The token is ephemeral, but the output is HCL.";
  return [[first.construct, new IamTokensError("ERR_HCL_OUTPUT", problem).message]];
}
