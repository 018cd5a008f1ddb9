import { named } from "../provider/configuration/wording";
import { defined, IamTokensError } from "../tokens";

/**
 * Checks the value of an option: an error in it becomes an error of the arguments, with the
 * option's name.
 *
 * @throws ERR_USAGE
 */
export function usage<T>(option: string, check: () => T): T {
  try {
    return named(option, check);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    const { problem, allowed, remedy } = error;
    throw new IamTokensError("ERR_USAGE", problem, { remedy, ...defined({ allowed }) });
  }
}
