import { errorCodeOf, IamTokensError, type Secret } from "../tokens";

/** An output stream. */
export interface Terminal {
  readonly write: (text: string) => void;
  /** Whether a person reads it, as far as this can be known. */
  readonly isTTY: boolean;
  /** Whether it goes into a file. */
  readonly isFile: boolean;
}

/** Everything of their process that the commands use. */
export interface CliContext {
  /** Of this package. */
  readonly version: string;
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Opens standard input, for a command that reads it. */
  readonly openStdin: () => AsyncIterable<Buffer> & { readonly isTTY?: boolean };
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The same for a command. */
export interface CommandContext extends CliContext {
  /**
   * Hides a secret in the log of a job of GitHub Actions, from then on; nothing elsewhere, and
   * nothing where standard error goes into a file.
   */
  readonly mask: (secret: Secret) => void;
}

/**
 * The folder in which the command was started.
 *
 * @param cwd returns the folder of the process: `process.cwd`
 * @throws ERR_WORKING_FOLDER_GONE if it was removed meanwhile, or cannot be reached
 */
export function currentFolder(cwd: () => string): string {
  try {
    return cwd();
  } catch (error) {
    const code = errorCodeOf(error) ?? "unknown error";
    throw new IamTokensError(
      "ERR_WORKING_FOLDER_GONE",
      `The current folder no longer exists (${code}).`,
      { cause: error },
    );
  }
}
