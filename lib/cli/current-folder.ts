import { IamTokensError } from "../tokens";

/**
 * The folder in which the command was started.
 *
 * @param cwd asks the system: `process.cwd`
 * @throws ERR_WORKING_FOLDER_GONE when it was removed since then, or cannot be reached
 */
export function currentFolder(cwd: () => string): string {
  try {
    return cwd();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new IamTokensError(
      "ERR_WORKING_FOLDER_GONE",
      `The current folder is not there (${code}).`,
      { cause: error },
    );
  }
}
