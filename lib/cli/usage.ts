import { named } from "../provider/configuration/wording";
import { defined, IamTokensError } from "../tokens";

/**
 * Checks what an option was given: whatever is wrong with it is a wrong argument, and is told under
 * the option's name.
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
