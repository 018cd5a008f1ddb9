import type { TerraformStack } from "cdktf";
import type { TerraformJson } from "../../hcl/json";
import { IamTokensError } from "../../tokens";
import type { Finding, StackRegistry, TokenRecord } from "../declarations/registry";
import { configurationOf, elementsOf, type Fragment } from "../framework/internals";
import { judged } from "./judge";
import { keepNames } from "./kept-names";
import { misuses } from "./misuses";
import { finderOf, placesIn, usesIn } from "./places";
import { secretFindings } from "./secrets";
import { takenOutputs } from "./taken-outputs";

/** What a survey needs to know of the values that were issued before synthesis. */
interface IssuedValues {
  lacks(token: TokenRecord): boolean;
}

/** The errors of a stack's declarations, and its configuration as it would be written now. */
export function surveyStack(
  stack: TerraformStack,
  registry: StackRegistry,
  values: IssuedValues | undefined,
): { readonly findings: readonly Finding[]; readonly configuration: TerraformJson } {
  const elements = elementsOf(stack);
  keepNames(elements, finderOf(registry.tokens));
  const configuration = configurationOf(stack, elements);
  const findings = [
    ...usesOf(stack, configuration, registry),
    ...takenOutputs(elements, registry),
    ...unresolved(registry, values),
    ...judged(registry.tokens, registry.identities),
    ...secretFindings(stack, configuration, registry),
  ];
  return { findings, configuration };
}

/**
 * The configuration as it is written, after the same rules: what changes it after the validations
 * (the validation of another construct, a custom synthesis) is seen here only.
 *
 * @param surveyed the configuration that was surveyed; undefined if a program skips validations
 * @throws an error with the form of cdktf's for validations
 */
export function surveyWritten(
  stack: TerraformStack,
  registry: StackRegistry,
  write: () => Fragment,
  surveyed: TerraformJson | undefined,
): Fragment {
  const elements = elementsOf(stack);
  keepNames(elements, finderOf(registry.tokens));
  const written = write();
  const { "//": _, ...configuration } = written;
  if (surveyed && JSON.stringify(surveyed) === JSON.stringify(configuration)) return written;
  const found = [
    ...(surveyed ? usesOf(stack, configuration, registry) : []),
    ...secretFindings(stack, configuration, registry),
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
  { tokens }: StackRegistry,
): readonly Finding[] {
  const places = placesIn(configuration, finderOf(tokens));
  return [...misuses(stack, places, usesIn(places), configuration)];
}

function* unresolved(
  { synthTokens }: StackRegistry,
  values: IssuedValues | undefined,
): Iterable<Finding> {
  const problem = values
    ? "The token was declared after resolveTokens had finished."
    : "The token has resolution: synth, but resolveTokens was not awaited.";
  for (const token of synthTokens)
    if (values?.lacks(token) ?? true) {
      const { message } = new IamTokensError("ERR_TOKENS_NOT_RESOLVED", problem);
      yield [token.construct, message];
    }
}
