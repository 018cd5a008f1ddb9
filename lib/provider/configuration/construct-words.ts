import { IamTokensError } from "../../tokens";
import { propertyOf } from "../../tokens/provider-arguments";
import { argumentsOf, PARTS, type Part, type Way } from "../../tokens/ways";

/** By argument. */
type Properties = Readonly<Record<string, string>>;

const propertiesOf = (parts: readonly Part[]): Properties =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const { property } = part;
      return property === null ? [] : argumentsOf(part).map((name) => [name, property] as const);
    }),
  );

/** Those of the first way that has the argument. */
const PROPERTIES = propertiesOf(PARTS);

/**
 * An error in the words of the program.
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
  if (construct === undefined || !IamTokensError.is(error)) return error;
  const ofWay = propertiesOf(way?.parts ?? []);
  return error.spelled((word, mark) => {
    if (mark === "block") return construct;
    return mark === "argument" ? (ofWay[word] ?? PROPERTIES[word] ?? propertyOf(word)) : word;
  });
}
