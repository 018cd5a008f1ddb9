import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import type { VariableValues } from "../../delivery/values";
import type { ResolvedToken, StackRegistry, TokenRecord } from "../declarations/registry";
import { detailsVariable, hasDetails, tokenVariable } from "../declarations/variables";
import { TokenResolution } from "../values/token";

/** The tokens of a stack that are resolved before synthesis, and are still in it. */
export function synthTokensOf(
  stack: TerraformStack,
  { tokens }: Pick<StackRegistry, "tokens">,
): readonly TokenRecord[] {
  const there = new Set<IConstruct>(stack.node.findAll());
  return tokens.filter(
    ({ construct, resolution }) => resolution === TokenResolution.SYNTH && there.has(construct),
  );
}

/**
 * Placeholder for a token in a command that needs none. A string instead of null: a variable that
 * was unset in a plan must stay unset, and Terraform's error about it would print the line with the
 * token.
 */
const NO_TOKEN = "not-resolved";

/**
 * The values of a token's variables, in clear text. A token that was not resolved keeps its
 * existing values, or gets a placeholder.
 */
export function valuesOf(
  record: TokenRecord,
  resolved: ResolvedToken | undefined,
  there: VariableValues = {},
): VariableValues {
  const name = record.terraformName();
  const [token, details] = [tokenVariable(name), detailsVariable(name)];
  const values = { [token]: resolved ? resolved.token.reveal() : (there[token] ?? NO_TOKEN) };
  if (!hasDetails(record)) return values;
  return { ...values, [details]: (resolved ? resolved.details : there[details]) ?? {} };
}

/**
 * The values to write next to a stack; undefined if there are none.
 *
 * @param there values of an earlier synthesis, which a skipped pass keeps
 */
export function valuesToWrite(
  tokens: readonly TokenRecord[],
  pass: StackRegistry["pass"],
  there: () => VariableValues | undefined,
): VariableValues | undefined {
  if (tokens.length === 0 || !(pass?.skipped || pass?.isWritten())) return undefined;
  const known = pass.skipped ? there() : undefined;
  return Object.assign(
    {},
    ...tokens.map((token) => valuesOf(token, pass.values.get(token), known)),
  );
}
