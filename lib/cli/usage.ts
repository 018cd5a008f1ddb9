import { named } from "../provider/wording";
import { defined, IamTokensError } from "../tokens";

/**
 * Checks arguments: an error in them becomes one of the command line.
 *
 * @param option its name in the message, if the check does not say it
 * @throws ERR_USAGE
 */
export function usage<T>(option: string | undefined, check: () => T): T {
  try {
    return option === undefined ? check() : named(option, check);
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    const { problem, allowed, remedy } = error;
    throw new IamTokensError("ERR_USAGE", problem, { remedy, ...defined({ allowed }) });
  }
}
