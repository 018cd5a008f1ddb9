import { named } from "../provider/wording";
import { assertName, defined, IamTokensError } from "../tokens";

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

/**
 * Checks names that a shell may have left empty: an unset variable is an error, and not a missing
 * option.
 *
 * @throws ERR_USAGE
 */
export function assertNames(options: {
  readonly cloud?: string;
  readonly project?: string;
  readonly projectId?: string;
}): void {
  const { cloud, project, projectId } = options;
  for (const [option, what, text] of [
    ["--cloud", "the name", cloud],
    ["--project", "the name", project],
    ["--project-id", "the id", projectId],
  ] as const)
    if (text !== undefined) usage(option, () => assertName(what, text));
}
