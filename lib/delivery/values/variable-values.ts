import { detailsVariable, hasDetails, tokenVariable } from "../../constructs/blocks/synth-variable";
import type { TokenRecord } from "../../constructs/survey/registry";
import type { ResolvedToken } from "../../constructs/survey/resolution-pass";
import type { VariableValues } from "./value-file";

/**
 * What stands in the place of a token in a command that needs none. A text and not null: a variable
 * that a plan saw as unset must stay so, and Terraform's error about it would print the line with
 * the token.
 */
const NO_TOKEN = "not-resolved";

/** The values of a token's variables, in clear. */
export function valuesOf(record: TokenRecord, { token, details }: ResolvedToken): VariableValues {
  const name = record.terraformName();
  return {
    [tokenVariable(name)]: token.reveal(),
    ...(hasDetails(record) ? { [detailsVariable(name)]: details ?? {} } : {}),
  };
}

/** For a skipped pass: what is there already, else what is no token. */
export function valuesWithoutPass(record: TokenRecord, there: VariableValues): VariableValues {
  const names = [
    tokenVariable(record.terraformName()),
    ...(hasDetails(record) ? [detailsVariable(record.terraformName())] : []),
  ];
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      Object.hasOwn(there, name) ? there[name] : index === 0 ? NO_TOKEN : {},
    ]),
  );
}
