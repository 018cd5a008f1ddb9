import type { TerraformStack } from "cdktf";
import type { IConstruct } from "constructs";
import type { VariableValues } from "../../delivery/values";
import { IamTokensError } from "../../tokens";
import type { Finding, ResolvedToken, StackRegistry, TokenRecord } from "../declarations/registry";
import { detailsVariable, hasDetails, tokenVariable } from "../declarations/variables";
import { TokenResolution } from "../values/token";

/** The tokens of a stack that are resolved before synthesis, and are still in it. */
export function synthTokensOf(
  stack: TerraformStack,
  { tokens }: Pick<StackRegistry, "tokens">,
): readonly TokenRecord[] {
  const synth = tokens.filter((token) => token.resolution === TokenResolution.SYNTH);
  if (synth.length === 0) return [];
  const there = new Set<IConstruct>(stack.node.findAll());
  return synth.filter((token) => there.has(token.construct));
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
  if (tokens.length === 0 || pass === undefined || (!pass.skipped && !pass.isWritten()))
    return undefined;
  const known = pass.skipped ? there() : undefined;
  return Object.assign(
    {},
    ...tokens.map((token) => valuesOf(token, pass.values.get(token), known)),
  );
}

/** Errors of tokens that should be resolved before synthesis, and are not. */
export function unresolvedTokens(
  tokens: readonly TokenRecord[],
  pass: StackRegistry["pass"],
): Finding[] {
  if (pass?.skipped || pass?.unasked) return [];
  const problem =
    pass === undefined
      ? "The token has resolution: synth, but resolveTokens was not awaited."
      : "The token was declared after resolveTokens had finished.";
  return tokens
    .filter((token) => token.resolution === TokenResolution.SYNTH && !pass?.values.has(token))
    .map(({ construct }) => [
      construct,
      new IamTokensError("ERR_TOKENS_NOT_RESOLVED", problem).message,
    ]);
}
