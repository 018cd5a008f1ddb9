import { escaped, IamTokensError } from "../../tokens";
import { allowList, notListed } from "../process/allow-list";
import type { ProcessContext } from "../process/process-context";

/** The programs that may be run for a secret. No module can extend the list. */
export const ALLOWED_COMMANDS = "IAM_TOKENS_ALLOWED_COMMANDS";

/**
 * Refuses a program that IAM_TOKENS_ALLOWED_COMMANDS does not list, before it is run. The entries,
 * separated by commas, are compared as a whole with the first element of the command. Its other
 * elements are not restricted. If the variable is not set, every program is allowed; if it is
 * empty, none is.
 *
 * @throws ERR_COMMAND_NOT_ALLOWED
 */
export function assertAllowedCommand(
  program: string,
  origin: string,
  processContext: ProcessContext,
): void {
  const entries = allowList(ALLOWED_COMMANDS, processContext);
  if (entries === undefined || entries.includes(program)) return;
  throw new IamTokensError(
    "ERR_COMMAND_NOT_ALLOWED",
    `The program ${escaped(program)} (${origin}) may not be run: ${notListed(ALLOWED_COMMANDS, entries.length, "program")}`,
  );
}
