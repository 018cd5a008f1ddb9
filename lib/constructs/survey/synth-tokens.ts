import { type TerraformElement, type TerraformStack, TerraformVariable } from "cdktf";
import type { IConstruct } from "constructs";
import type { VariableValues } from "../../delivery/values/value-file";
import { IamTokensError } from "../../tokens";
import type { Finding, ResolvedToken, StackRegistry, TokenRecord } from "../declarations/registry";
import { detailsVariable, hasDetails, tokenVariable } from "../declarations/synth-variable";
import { TokenResolution } from "../values/token-resolution";

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

/** Errors of tokens that are resolved before synthesis. */
export function synthMistakes(
  tokens: readonly TokenRecord[],
  elements: readonly TerraformElement[],
  pass: StackRegistry["pass"],
): Finding[] {
  const synth = tokens.filter((token) => token.resolution === TokenResolution.SYNTH);
  return [...unresolved(synth, pass), ...variableClashes(elements, synth)];
}

function unresolved(tokens: readonly TokenRecord[], pass: StackRegistry["pass"]): Finding[] {
  if (pass?.skipped || pass?.unasked) return [];
  const problem =
    pass === undefined
      ? "The token has resolution: synth, but resolveTokens was not awaited."
      : "The token was declared after resolveTokens had finished.";
  return tokens
    .filter((token) => pass?.values.has(token) !== true)
    .map(
      (token): Finding => [token.construct, new IamTokensError("ERR_TOKENS_NOT_RESOLVED", problem)],
    );
}

/** A variable of the user with the name of one of ours: cdktf merges the two. */
function variableClashes(
  elements: readonly TerraformElement[],
  tokens: readonly TokenRecord[],
): Finding[] {
  const names = new Map(
    elements
      .filter((element) => element instanceof TerraformVariable)
      .map((variable) => [variable.friendlyUniqueId, variable.node.path]),
  );
  return tokens.flatMap((token) => {
    const name = token.terraformName();
    const own = [tokenVariable(name), ...(hasDetails(token) ? [detailsVariable(name)] : [])];
    return own
      .filter((variable) => names.has(variable))
      .map((variable): Finding => {
        const problem = `${names.get(variable)} has the same name in Terraform: var.${variable}.`;
        return [token.construct, new IamTokensError("ERR_NAME_TAKEN", problem)];
      });
  });
}
