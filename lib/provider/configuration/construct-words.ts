import { IamTokensError, type Spell } from "../../tokens";
import { propertyOf } from "../../tokens/provider-arguments";
import { argumentsOf, PARTS, type Part, type Way } from "../../tokens/ways";

/** By argument; of two rows for it, the last one counts. */
const propertiesOf = (parts: readonly Part[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const { property } = part;
      return property === null ? [] : argumentsOf(part).map((name) => [name, property] as const);
    }),
  );

/**
 * An error in the words of the program; one that is in such words stays.
 *
 * @param construct path of the construct that has declared the provider block; undefined in plain
 * HCL, where the error stays
 * @param way of the block: user_name is in two ways
 */
export function inConstructWords<E>(
  error: E,
  construct: string | undefined,
  way?: Way,
): E | IamTokensError {
  if (construct === undefined || !IamTokensError.is(error) || error.parts.spell) return error;
  const properties = propertiesOf([...PARTS, ...(way?.parts ?? [])]);
  const spell: Spell = ({ word, mark }) => {
    if (mark === "block") return construct;
    return mark === "argument" ? (properties[word] ?? propertyOf(word)) : word;
  };
  return error.with({ spell });
}
