import { errorCodeOf, IamTokensError } from "../tokens";

/** A stream that text is written to, and what is known of the screen behind it. */
export interface Terminal {
  readonly write: (text: string) => void;
  /** Whether a person looks at it, as far as that can be known. */
  readonly isTTY: boolean;
  /** Characters in a line; undefined when it is no screen. */
  readonly columns: number | undefined;
}

/** All that the commands touch of their process. */
export interface CliSurroundings {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Whether text for a terminal may be coloured (https://no-color.org). */
export function mayColour({ isTTY }: Terminal, env: CliSurroundings["env"]): boolean {
  const { NO_COLOR: noColour, FORCE_COLOR: force, TERM: term } = env;
  if (noColour !== undefined && noColour !== "") return false;
  if (force !== undefined && force !== "" && force !== "0") return true;
  return isTTY && term !== "dumb";
}

/** Whether more than ASCII can be drawn: on a screen whose language setting says UTF-8. */
export function mayDrawSigns({ isTTY }: Terminal, env: CliSurroundings["env"]): boolean {
  return isTTY && /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || "");
}

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
    const code = errorCodeOf(error) ?? "unknown error";
    throw new IamTokensError(
      "ERR_WORKING_FOLDER_GONE",
      `The current folder is not there (${code}).`,
      { cause: error },
    );
  }
}
