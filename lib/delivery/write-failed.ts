import { IamTokensError } from "../tokens";

/**
 * Runs something that writes, and turns an error of the file system into ERR_WRITE_FAILED with path
 * and errno.
 *
 * @param path what to name when the error itself names none
 */
export function writing<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (IamTokensError.is(error)) throw error;
    const { code, path: failed, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new IamTokensError(
      "ERR_WRITE_FAILED",
      `${failed ?? path} cannot be written: ${code}${syscall ? ` (${syscall})` : ""}.`,
      {
        cause: error,
      },
    );
  }
}
